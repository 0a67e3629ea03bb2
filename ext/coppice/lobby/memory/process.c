#include "process.h"

struct lobby_process lobby_process;

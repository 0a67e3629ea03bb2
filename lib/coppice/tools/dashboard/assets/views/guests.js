// The programs that run in forks of the mold: `coppice run` and `coppice console`.

import { Card, empty, fill, h, numberOf, table } from "../dom.js";
import { age, bytes, plural } from "../format.js";
import { sum } from "../numbers.js";

const COLUMNS = [
  { title: "program", kind: "grow cut" },
  { title: "runs", kind: "right", tip: "since its program began" },
  { title: "private", kind: "right", tip: "memory that no other process shares" },
  { title: "time left", kind: "right", tip: "until guest_timeout ends it" },
];

export class Guests extends Card {
  constructor() {
    super("guests", "Guests", "Guests", "Programs that run in forks of the mold: coppice run and coppice console");
  }

  draw(stats) {
    const guests = stats.processes
      .filter((process) => process.role === "guest")
      .sort((one, other) => other.age - one.age);
    fill(this.says, this.sentence(guests));
    fill(
      this.body,
      guests.length
        ? table(
            COLUMNS,
            guests.map((guest) => this.row(guest, stats)),
            "guests",
          )
        : empty("coppice console opens a console in the warm application, where the option guests allows it."),
    );
  }

  sentence(guests) {
    if (!guests.length) return "No guest runs.";
    const own = bytes(sum(guests.map((guest) => guest.private)));
    return `${plural(guests.length, "guest runs", "guests run")}, the oldest for ${age(guests[0].age)}: ${own} of their own.`;
  }

  row(guest, stats) {
    const value = (name, unit) => numberOf(stats, guest, name, unit);
    const program = guest.request ?? guest.state;
    const client = `uid ${guest.client_uid ?? "–"} (pid ${guest.client_pid ?? "–"})`;
    return [
      h("code", { "data-tip": `${program} (pid ${guest.pid}, gen ${guest.generation}), asked for by ${client}` }, program),
      guest.request_age === null ? guest.state : value("request_age", "age"),
      value("private", "bytes"),
      this.timeLeft(guest, value),
    ];
  }

  timeLeft(guest, value) {
    if (guest.state === "leaving") return h("b.bad", "told to exit");
    return guest.time_left === null ? "no limit" : value("time_left", "age");
  }
}

// Reads the `data:` fields of a server-sent event stream that arrives in arbitrary pieces.
// EventSource itself cannot be used: it only sends GET.

export class EventStream {
  #rest = '';
  #data = [];

  // Takes the next piece of text; returns the data of every event that it completes.
  push(piece) {
    const text = this.#rest + piece;
    // A piece may end between \r and \n: a last \r waits for what follows.
    const lines = text.split(/\r\n|\n|\r(?!$)/);
    this.#rest = lines.pop();
    const events = [];
    for (const line of lines) {
      if (line === '') {
        if (this.#data.length) events.push(this.#data.join('\n'));
        this.#data = [];
      } else if (line.startsWith('data:')) {
        this.#data.push(line.slice(line[5] === ' ' ? 6 : 5));
      }  // comments and other fields carry nothing for us
    }
    return events;
  }
}

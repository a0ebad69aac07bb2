/**
 * The states that have been seen, each a row of small integers, in the order in which they were
 * found. Rows are compared in full: no state is ever taken for another one by its hash.
 */
export class StateTable {
  size = 0;
  private readonly width: number;
  private rows: Uint32Array;
  private parents: Int32Array;
  /** Open addressing; 0 is empty, else the row's number and one. */
  private slots: Uint32Array;

  constructor(width: number) {
    this.width = width;
    this.rows = new Uint32Array(1024 * width);
    this.parents = new Int32Array(1024);
    this.slots = new Uint32Array(4096);
  }

  /** The new row's number, or -1 where there is one like it. */
  add(row: readonly number[], parent: number): number {
    const slot = this.slotOf(row);
    if (this.slots[slot] !== 0) return -1;
    if (this.size === this.parents.length) this.grow();
    const index = this.size++;
    this.rows.set(row, index * this.width);
    this.parents[index] = parent;
    this.slots[slot] = index + 1;
    if (this.size * 2 > this.slots.length) this.rehash();
    return index;
  }

  row(index: number): number[] {
    const from = index * this.width;
    const row: number[] = [];
    for (let at = 0; at < this.width; at++) row.push(this.rows[from + at]!);
    return row;
  }

  /** -1: the first one has none. */
  parent = (index: number): number => this.parents[index]!;

  private slotOf(row: ArrayLike<number>): number {
    const mask = this.slots.length - 1;
    let slot = hash(row) & mask;
    for (;;) {
      const taken = this.slots[slot]!;
      if (taken === 0 || this.isAt(taken - 1, row)) return slot;
      slot = (slot + 1) & mask;
    }
  }

  private isAt(index: number, row: ArrayLike<number>): boolean {
    const from = index * this.width;
    for (let at = 0; at < this.width; at++) if (this.rows[from + at] !== row[at]) return false;
    return true;
  }

  private grow(): void {
    const rows = new Uint32Array(this.rows.length * 2);
    rows.set(this.rows);
    this.rows = rows;
    const parents = new Int32Array(this.parents.length * 2);
    parents.set(this.parents);
    this.parents = parents;
  }

  private rehash(): void {
    this.slots = new Uint32Array(this.slots.length * 2);
    const { width } = this;
    for (let index = 0; index < this.size; index++) {
      const row = this.rows.subarray(index * width, (index + 1) * width);
      this.slots[this.slotOf(row)] = index + 1;
    }
  }
}

function hash(row: ArrayLike<number>): number {
  let mixed = 0x9e3779b9;
  for (let at = 0; at < row.length; at++) {
    mixed = Math.imul(mixed ^ row[at]!, 0x85ebca6b);
    mixed ^= mixed >>> 15;
  }
  mixed = Math.imul(mixed, 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

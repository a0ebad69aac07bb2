/**
 * Reads and writes JSON without losing what JavaScript numbers would lose. It accepts the same
 * texts as Python's `json.loads`, which is the other reader of sentinels.
 * `body.ts` interprets the values. Decision: `2026-11-29-json-reader.md`.
 */

/** Levels. A body is flat; this is far beyond any body, and far below the limit of a call stack. */
export const MAX_DEPTH = 128;

/** Python refuses integers with more digits. */
const MAX_INTEGER_DIGITS = 4300;

/** A JSON value. Numbers are kept as text. */
export type JsonValue = null | boolean | string | NumberText | JsonValue[] | JsonObject;

/** Has no prototype, so that `__proto__` and `constructor` are ordinary keys. */
export interface JsonObject {
  [key: string]: JsonValue;
}

/** The text is not JSON, or exceeds a limit. */
export class JsonError extends Error {
  override readonly name = 'JsonError';
  /** Position in the text, in UTF-16 code units. */
  readonly offset: number;

  constructor(message: string, offset: number) {
    super(`${message} at offset ${offset}`);
    this.offset = offset;
  }
}

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|NaN|-?Infinity/y;

/**
 * A number as it was written, so that a user id beyond 2^53 is not changed. Throws a RangeError for
 * a text that `readJson` would not read as one number.
 */
export class NumberText {
  readonly text: string;

  constructor(text: string) {
    NUMBER.lastIndex = 0;
    if (NUMBER.exec(text)?.[0] !== text) throw new RangeError(`not a number: \`${text}\``);
    if (isTooLong(text)) throw new RangeError(TOO_LONG);
    this.text = text;
  }
}

const TOO_LONG = `an integer of more than ${MAX_INTEGER_DIGITS} digits`;

function isTooLong(number: string): boolean {
  return /^-?\d+$/.test(number) && number.replace('-', '').length > MAX_INTEGER_DIGITS;
}

/**
 * Reads `text` as one value. The last of two equal keys wins, lone surrogates are kept, and `NaN`
 * and both infinities are numbers. Throws `JsonError`, also for a text that is nested deeper than
 * `maxDepth`, so that no text can exhaust the stack.
 */
export function readJson(text: string, maxDepth = MAX_DEPTH): JsonValue {
  const reader = new Reader(text, maxDepth);
  const value = reader.value(0);
  reader.end();
  return value;
}

/**
 * Writes `value` as JSON without spaces, members in the order of the object, numbers as they were
 * written. `NaN` and the infinities become null, since a strict reader could not read the file with
 * them. Throws a RangeError for a value nested deeper than `readJson` would read.
 */
export function writeJson(value: JsonValue): string {
  return write(value, 0);
}

function write(value: JsonValue, depth: number): string {
  if (value === null || typeof value === 'boolean') return String(value);
  // This escapes lone surrogates, so that the text can be encoded.
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value !== 'object') throw new TypeError(`not a JSON value: a ${typeof value}`);
  if (value instanceof NumberText) return /\d/.test(value.text) ? value.text : 'null';
  if (depth === MAX_DEPTH) throw new RangeError(`nested deeper than ${MAX_DEPTH}`);
  if (Array.isArray(value)) {
    return `[${value.map((item) => write(item, depth + 1)).join(',')}]`;
  }
  const members = Object.entries(value).map(
    ([key, member]) => `${JSON.stringify(key)}:${write(member, depth + 1)}`,
  );
  return `{${members.join(',')}}`;
}

const ESCAPES: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};

/** Recursive descent over one text; `at` is the position. */
class Reader {
  readonly text: string;
  readonly maxDepth: number;
  at = 0;

  constructor(text: string, maxDepth: number) {
    this.text = text;
    this.maxDepth = maxDepth;
  }

  /** `depth`: number of open arrays and objects. */
  value(depth: number): JsonValue {
    this.space();
    switch (this.text[this.at]) {
      case '"':
        return this.string();
      case '{':
        return this.object(depth + 1);
      case '[':
        return this.array(depth + 1);
    }
    if (this.takes('null')) return null;
    if (this.takes('true')) return true;
    if (this.takes('false')) return false;
    return this.number();
  }

  end(): void {
    this.space();
    if (this.at < this.text.length) this.fail('more text after the value');
  }

  private object(depth: number): JsonObject {
    this.open(depth);
    const object: JsonObject = Object.create(null);
    this.space();
    if (this.takes('}')) return object;
    do {
      this.space();
      if (this.text[this.at] !== '"') this.fail('expected a key in double quotes');
      const key = this.string();
      this.space();
      if (!this.takes(':')) this.fail('expected `:`');
      object[key] = this.value(depth);
      this.space();
    } while (this.takes(','));
    if (!this.takes('}')) this.fail('expected `,` or `}`');
    return object;
  }

  private array(depth: number): JsonValue[] {
    this.open(depth);
    const array: JsonValue[] = [];
    this.space();
    if (this.takes(']')) return array;
    do {
      array.push(this.value(depth));
      this.space();
    } while (this.takes(','));
    if (!this.takes(']')) this.fail('expected `,` or `]`');
    return array;
  }

  private open(depth: number): void {
    if (depth > this.maxDepth) this.fail(`nested deeper than ${this.maxDepth}`);
    this.at++;
  }

  private string(): string {
    const start = this.at++;
    let read = '';
    for (;;) {
      const plain = this.at;
      while (this.at < this.text.length && isPlain(this.text.charCodeAt(this.at))) this.at++;
      read += this.text.slice(plain, this.at);
      if (this.takes('"')) return read;
      if (this.takes('\\')) read += this.escape();
      else if (this.at < this.text.length) this.fail('a raw control character in a string');
      else this.fail('a string without an end', start);
    }
  }

  /**
   * One half of a surrogate pair may stand alone. Two halves in a row become a whole by themselves.
   */
  private escape(): string {
    const start = this.at - 1;
    const letter = this.text.charAt(this.at++);
    if (letter !== 'u') return ESCAPES[letter] ?? this.fail('an unknown escape', start);
    const digits = this.text.slice(this.at, this.at + 4);
    if (!/^[0-9a-fA-F]{4}$/.test(digits)) this.fail('an escape without four hex digits', start);
    this.at += 4;
    return String.fromCharCode(Number.parseInt(digits, 16));
  }

  private number(): NumberText {
    NUMBER.lastIndex = this.at;
    const text = NUMBER.exec(this.text)?.[0];
    if (text === undefined) this.fail('expected a value');
    if (isTooLong(text)) this.fail(TOO_LONG);
    this.at += text.length;
    return new NumberText(text);
  }

  private takes(token: string): boolean {
    if (!this.text.startsWith(token, this.at)) return false;
    this.at += token.length;
    return true;
  }

  private space(): void {
    while (this.at < this.text.length && ' \t\n\r'.includes(this.text.charAt(this.at))) this.at++;
  }

  private fail(message: string, at = this.at): never {
    throw new JsonError(message, at);
  }
}

function isPlain(code: number): boolean {
  return code >= 0x20 && code !== 0x22 && code !== 0x5c;
}

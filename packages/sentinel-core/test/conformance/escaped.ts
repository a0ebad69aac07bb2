/**
 * Recorded inputs as test titles: what cannot be seen is shown as an escape, what is long is cut.
 * What the inputs mean is left to the tests.
 */
export function escaped(input: unknown): string {
  const ascii = (JSON.stringify(input) ?? String(input)).replace(
    /[^ -~]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return ascii.length > 80 ? `${ascii.slice(0, 60)}... (${ascii.length} characters)` : ascii;
}

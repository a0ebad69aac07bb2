/**
 * Reasons that try to be more than text.
 */
export const HOSTILE: readonly (readonly [what: string, reason: string])[] = [
  ['a line of its own', 'x\n::error::forged'],
  ['a carriage return', 'x\r::error::forged'],
  ['an escaped line end', 'x%0A::error::forged'],
  ['a command at its beginning', '::set-output name=a::b'],
  ['an older command', 'x ##[error]forged'],
  ['other line ends', 'x\u0085::error::y\u2028::error::z'],
  ['the end of a property', 'a,title=b::c'],
  ['an element', '</failure></testcase><testcase name="forged"/>'],
  ['the end of an attribute', '" type="forged'],
  ['an apostrophe', "' type='forged"],
  ['an entity', '&lt; &#10; &forged;'],
  ['the end of character data', ']]><x/>'],
  ['a declaration', '<!DOCTYPE x [<!ENTITY y SYSTEM "file:///etc/passwd">]>&y;'],
  ['control characters', 'a\u0000b\u0001c\u001b[31md\u007f'],
  ['characters that XML cannot carry', 'a\ufffeb\uffffc'],
  ['half a pair', 'a\ud800b\udc00c'],
  ['text that turns around', 'a\u202eb\u2066c'],
  ['other scripts and signs', 'päusé 暂停 🛑'],
];

/**
 * Reads the JSON text of a request, with a limit.
 * Parsing it is `write-request.ts` and `cut-request.ts`.
 */
import { type HttpError, httpError } from './answers.ts';

const MAX_BODY = 65_536;

/** Reads at most MAX_BODY bytes, whatever `Content-Length` says. */
export async function jsonBody(request: Request): Promise<string | HttpError> {
  if (!/^application\/json(\s*;|$)/i.test(request.headers.get('content-type') ?? '')) {
    const hint = 'send it as `Content-Type: application/json`';
    return httpError(415, 'not-json', 'the content type is not JSON', hint);
  }
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let text = '';
  let bytes = 0;
  const reader = request.body?.getReader();
  try {
    for (;;) {
      const chunk = await reader?.read();
      if (chunk === undefined || chunk.done) return text + decoder.decode();
      bytes += chunk.value.byteLength;
      if (bytes > MAX_BODY) {
        return httpError(
          413,
          'too-large',
          'the body is too large',
          `send at most ${MAX_BODY} bytes`,
        );
      }
      text += decoder.decode(chunk.value, { stream: true });
    }
  } catch {
    return httpError(400, 'request-invalid', 'the body is incomplete or not UTF-8', 'send JSON');
  }
}

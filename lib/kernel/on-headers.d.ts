declare module 'on-headers' {
  import type { ServerResponse } from 'node:http'

  /** Calls the listener when the headers of an answer are about to be written, whoever writes them. The package has no types. */
  export default function onHeaders(res: ServerResponse, listener: () => void): void
}

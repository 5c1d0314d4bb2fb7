import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import { listen, type Running } from '../../support/app.js'

/** Serves a function from a web request to a web response with Node, as the adapter of a framework does. */
export const serveFetch = (answer: (request: Request) => Promise<Response>): Promise<Running> =>
  listen(async (req, res) => {
    const headers = Object.entries(req.headers).flatMap(([name, value]) => (value ? [[name, String(value)]] : []))
    const hasBody = req.method !== 'GET' && req.method !== 'HEAD'
    const request = new Request(`http://${req.headers.host}${req.url}`, {
      method: req.method ?? 'GET',
      headers: headers as [string, string][],
      ...(hasBody && { body: Readable.toWeb(req) as BodyInit, duplex: 'half' }),
    })
    const response = await answer(request)
    res.statusCode = response.status
    for (const [name, value] of response.headers) if (name !== 'set-cookie') res.setHeader(name, value)
    res.setHeader('set-cookie', response.headers.getSetCookie())
    if (response.body) Readable.fromWeb(response.body as ReadableStream).pipe(res)
    else res.end()
  })

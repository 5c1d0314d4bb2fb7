import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { type RequestListener, request } from 'node:http'
import { compiled } from './compiled.js'

/** An application in a process of its own. */
export interface ChildApp {
  readonly origin: string
  readonly process: ChildProcess
  stop(): Promise<void>
}

/** Starts a script of this folder; the first thing it tells with an origin is where it listens. */
export async function startChild(
  script: string,
  variables: Record<string, string | undefined>,
  hear: (message: Record<string, string>) => void = () => {},
): Promise<ChildApp> {
  const app = spawn(process.execPath, [await compiled(`test/support/${script}`)], {
    env: { ...process.env, ...variables },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  app.on('message', hear)
  const origin = await new Promise<string>((resolve, reject) => {
    app.on('message', (message: Record<string, string>) => message['origin'] && resolve(message['origin']))
    app.once('exit', (code) => reject(new Error(`${script} ended with ${code}`)))
  })
  return {
    origin,
    process: app,
    async stop() {
      if (app.exitCode !== null || app.signalCode !== null) return
      app.kill()
      await once(app, 'exit')
    },
  }
}

/** Hands requests on to another origin as they are, under the host that they came for. */
export const handOnTo =
  (origin: string): RequestListener =>
  (req, res) => {
    const { hostname, port } = new URL(origin)
    const onward = request({ hostname, port, path: req.url, method: req.method, headers: req.headers }, (answer) => {
      res.writeHead(answer.statusCode ?? 502, answer.rawHeaders)
      answer.pipe(res)
    })
    onward.once('error', () => res.writeHead(502).end())
    req.pipe(onward)
  }

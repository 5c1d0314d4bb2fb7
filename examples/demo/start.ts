import { relative } from 'node:path'
import { startDemo } from './demo.js'

const port = Number(process.env.PORT || 3000)

startDemo({ port }).then(
  ({ url, issuer, database }) => {
    console.log(`Latchkey demo:    ${url}`)
    console.log(`OpenID provider:  ${issuer}`)
    console.log(`Mailbox:          ${url}/mailbox`)
    console.log(`Database:         ${relative(process.cwd(), database)}`)
    console.log('Stop with Ctrl+C.')
  },
  (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EADDRINUSE') throw error
    console.error(`Port ${port} is in use. "PORT=0 npm start" takes any free port.`)
    process.exitCode = 1
  },
)

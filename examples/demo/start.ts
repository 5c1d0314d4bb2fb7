import { startDemo } from './demo.js'

const port = Number(process.env.PORT || 3000)

startDemo({ port }).then(
  ({ url, issuer, madeSecret }) => {
    console.log(`Latchkey demo:    ${url}`)
    console.log(`OpenID provider:  ${issuer}`)
    if (madeSecret) console.log('AUTH_SECRET is not set, so a secret was made: sessions last as long as this process.')
    console.log('Stop with Ctrl+C.')
  },
  (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EADDRINUSE') throw error
    console.error(`Port ${port} is taken. PORT=0 npm start takes any that is free.`)
    process.exitCode = 1
  },
)

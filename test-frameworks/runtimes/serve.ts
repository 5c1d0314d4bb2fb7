import { startDemo } from '../../examples/demo/demo.js'

const [database] = process.argv.slice(2)
const { url } = await startDemo({ port: 0, ...(database !== undefined && { database }) })
console.info(`${url}/`)

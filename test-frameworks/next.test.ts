import { requireChromium } from '../test/support/chromium.js'
import { BUILD_ENV, type NextApplication, startApplication } from './next/application.js'
import { describeBeware } from './next/beware.js'
import { describeBuilds } from './next/builds.js'
import { FILES } from './next/files.js'
import { describeGuard } from './next/guard.js'
import { describeVisits } from './next/visits.js'
import { type BuiltExample, buildExample } from './support/built-example.js'

/** The versions; that of the example builds with Turbopack, and 15 with webpack. */
const VERSIONS: Record<string, string | undefined> = { 16: undefined, 15: 'next-15' }

for (const [version, variant] of Object.entries(VERSIONS)) {
  describe(`latchkey/next in Next.js ${version}`, function () {
    this.timeout(120_000)
    let example: BuiltExample
    let application: NextApplication
    const app = () => application

    before(async function () {
      this.timeout(600_000)
      requireChromium.call(this)
      example = await buildExample('next', '.next/BUILD_ID', { files: FILES, env: BUILD_ENV, variant })
      const { install, build } = example.seconds
      console.info(`    installed in ${install.toFixed(0)} s, built in ${build.toFixed(0)} s`)
      application = await startApplication(example)
    })

    after(async () => {
      await application?.stop()
      example?.remove()
    })

    describeVisits(app)
    describeBeware(app)
    describeGuard(app)
    // What these find does not depend on the version, and each takes a build.
    if (variant === undefined) describeBuilds(app)
  })
}

// The API reference: one page for each entry of `exports`, made from the comments of the source. `npm run docs` fails if
// an exported thing has no comment, or a link in a comment leads nowhere.
import { readdirSync, readFileSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../', import.meta.url))

/** The source of each entry, by the name under which an application imports it. */
const entries = Object.entries(JSON.parse(readFileSync(`${ROOT}package.json`, 'utf8')).exports)
  .filter(([, target]) => typeof target !== 'string')
  .flatMap(([name, target]) => {
    const source = target.default.replace('./dist/', 'lib/').replace(/js$/, 'ts')
    const names = source.includes('*') ? readdirSync(ROOT + dirname(source)).map((file) => basename(file, '.ts')) : ['']
    return names.map((each) => [name.replace('.', 'latchkey').replace('*', each), ROOT + source.replace('*', each)])
  })

/** Otherwise an entry has the path of its file as its name. */
const nameEntries = ({ converter }) =>
  converter.on('createDeclaration', (context, reflection) => {
    const file = context.getSymbolFromReflection(reflection)?.declarations?.[0]?.fileName
    reflection.name = entries.find(([, source]) => source === file)?.[0] ?? reflection.name
  })

/** Types whose members are options: each member has a comment, too. */
const OPTIONS = ['AuthConfig', 'SessionOptions', 'JWTOptions', 'LoggingOptions', 'RequireAuthOptions']

/** A member of another type may be clear by its name. */
const requireComments = ({ converter, logger }) =>
  converter.on('resolveEnd', ({ project }) => {
    const exported = project.children.flatMap(({ children = [] }) => children)
    const options = exported.flatMap(({ name, children = [] }) => (OPTIONS.includes(name) ? children : []))
    for (const one of [...exported, ...options]) {
      const isDocumented = one.hasComment() || one.signatures?.some((signature) => signature.hasComment())
      if (!isDocumented && one.variant !== 'reference') logger.error(`${one.getFullName()} has no comment`)
    }
  })

export default {
  name: 'Latchkey',
  entryPoints: entries.map(([, file]) => file),
  tsconfig: `${ROOT}tsconfig.json`,
  out: `${ROOT}docs/api`,
  readme: 'none',
  excludeInternal: true,
  excludeExternals: true,
  excludePrivate: true,
  disableSources: true,
  // The package is compiled by the project's own compiler, which is newer. Here it is only read.
  skipErrorChecking: true,
  validation: { notExported: false, invalidLink: true, rewrittenLink: false, notDocumented: false },
  treatValidationWarningsAsErrors: true,
  externalSymbolLinkMappings: {
    typescript: { DOMException: 'https://developer.mozilla.org/docs/Web/API/DOMException' },
  },
  plugin: [nameEntries, requireComments],
}

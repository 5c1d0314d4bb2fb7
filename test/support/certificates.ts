import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A certificate and its private key, as PEM. */
export interface Certificate {
  readonly cert: string
  readonly key: string
}

/** An authority that nobody trusts, and what it has certified. Everything is valid for two days. */
export interface Certificates {
  readonly authority: Certificate
  /** For the host `localhost`. */
  readonly server: Certificate
  /** For clients with the names CN=client and CN=stranger. */
  readonly client: Certificate
  readonly stranger: Certificate
  /** Not certified by anybody. */
  readonly selfSigned: Certificate
}

/** Makes new certificates with the command openssl, in less than a second. */
export function makeCertificates(): Certificates {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-certificates-'))
  const make = (name: string, ...more: string[]): Certificate => {
    const [cert, key] = [join(folder, `${name}.pem`), join(folder, `${name}.key`)]
    const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-noenc', '-days', '2']
    execFileSync('openssl', ['req', '-x509', ...curve, '-subj', `/CN=${name}`, '-keyout', key, '-out', cert, ...more], {
      stdio: 'pipe',
    })
    return { cert: readFileSync(cert, 'utf8'), key: readFileSync(key, 'utf8') }
  }
  try {
    const authority = make('authority')
    const byAuthority = ['-CA', join(folder, 'authority.pem'), '-CAkey', join(folder, 'authority.key')]
    const leaf = [...byAuthority, '-addext', 'basicConstraints=critical,CA:FALSE']
    return {
      authority,
      server: make('server', ...leaf, '-addext', 'subjectAltName=DNS:localhost'),
      client: make('client', ...leaf),
      stranger: make('stranger', ...leaf),
      selfSigned: make('self-signed'),
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

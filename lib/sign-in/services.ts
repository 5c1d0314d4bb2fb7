/** Names a service of a feature in a configuration, which knows no more of it. */
export interface ServiceKey<Service> {
  readonly name: string
  readonly service?: Service
}

/** The services of the features of one configuration. */
export class Services {
  readonly #services = new Map<ServiceKey<unknown>, unknown>()

  set<Service>(key: ServiceKey<Service>, service: Service): this {
    this.#services.set(key, service)
    return this
  }

  get<Service>(key: ServiceKey<Service>): Service {
    return this.#services.get(key) as Service
  }
}

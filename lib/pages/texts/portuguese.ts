import type { Texts } from './english.js'

/** The texts in Portuguese, as it is written in Brazil, with words that are understood in Portugal too. */
export const PORTUGUESE: Texts = {
  'signIn.title': 'Entrar',
  'signIn.lead': 'para continuar em {site}',
  'signIn.or': 'ou',
  'signIn.with': 'Entrar com {provider}',
  'signIn.submit': 'Entrar',
  'signIn.remember': 'Manter a sessão iniciada',
  'signIn.lastUsed': 'Usado por último',
  'signIn.nothing': 'Ainda não há nenhuma forma de entrar aqui.',
  'signIn.signedIn': 'Você entrou como {user}.',
  'signIn.signedInNote': 'Se entrar como outra pessoa, esta sessão termina neste navegador.',
  'signIn.signedInAdds':
    'Outra forma de entrar que você escolher aqui é adicionada à sua conta. Para entrar como outra pessoa, saia primeiro.',
  'signIn.continue': 'Continuar',
  'signIn.signOut': 'Sair',
  'signIn.needsScript':
    'As chaves de acesso precisam de JavaScript. Ative o JavaScript para este site e recarregue a página.',
  'signIn.needsPasskeys':
    'Este navegador não aceita chaves de acesso. Abra esta página em outro navegador para entrar.',
  'email.submit': 'Receber um link por e-mail',
  'email.hint': 'Sem senha: enviamos um link para você entrar.',
  'passkey.submit': 'Entrar com uma chave de acesso',
  'passkey.hint': 'Com a sua digital, o seu rosto ou o bloqueio de tela. Sem senha.',
  'passkey.new': 'É novo aqui?',
  'passkey.create': 'Criar uma chave de acesso',
  'passkey.signUp': 'Cadastrar-se com {provider}',
  'links.forgot': 'Esqueceu a senha?',
  'links.signUpLead': 'É novo aqui?',
  'links.signUp': 'Criar uma conta',
  'links.terms': 'Termos',
  'links.privacy': 'Privacidade',
  'links.support': 'Ajuda',
  'field.email': 'E-mail',
  'field.username': 'Nome de usuário',
  'field.password': 'Senha',
  'field.code': 'Código',
  'signIn.error.general': 'Não conseguimos iniciar a sua sessão. Tente novamente.',
  'signIn.error.notStarted': 'Não conseguimos começar essa entrada. Tente novamente ou entre de outra forma.',
  'signIn.error.notCreated': 'Não conseguimos criar uma conta dessa forma. Entre de outra forma.',
  'signIn.error.accountNotLinked': 'Essa conta pertence aqui a outra pessoa. Entre com a conta que você usava antes.',
  'signIn.error.callback': 'Não foi possível concluir essa entrada. Comece de novo aqui mesmo.',
  'signIn.error.credentials': 'Esses dados não correspondem a nenhuma conta. Confira-os e tente novamente.',
  'signIn.error.email': 'Não conseguimos enviar o e-mail. Confira o endereço e tente novamente.',
  'signIn.error.emailUnavailable':
    'Não conseguimos enviar e-mails neste momento. Tente novamente daqui a pouco ou entre de outra forma.',
  'signIn.error.csrf':
    'Esta página ficou aberta por muito tempo, ou o seu navegador não guarda os nossos cookies. Tente mais uma vez.',
  'signIn.error.otherWay':
    'Até agora, você entrava de outra forma com este e-mail. Entre novamente dessa forma. Se era esta, entre em contato conosco.',
  'signIn.error.cancelled':
    'Essa entrada foi cancelada, demorou demais ou já tinha sido usada. Você pode começar de novo aqui mesmo.',
  'signIn.error.expired': 'Essa entrada não foi concluída a tempo. Você pode começar de novo aqui mesmo.',
  'signIn.error.recent':
    'Você entrou há algum tempo. Entre novamente de uma forma que já usava e depois adicione a nova. Para entrar como outra pessoa, saia primeiro.',
  'signIn.error.recentOpenPage':
    'Você entrou há algum tempo. Para abrir esta página, entre novamente de uma forma que já usava.',
  'signIn.error.recentEndSessions':
    'Você entrou há algum tempo. Entre novamente de uma forma que já usava e depois encerre as outras sessões.',
  'signIn.error.recentRemoveAccount':
    'Você entrou há algum tempo. Entre novamente de uma forma que já usava e depois remova a conta.',
  'signIn.error.sessionChanged':
    'Entretanto, você ou outra pessoa entrou ou saiu neste navegador, e isso encerrou esta entrada. Você pode começar de novo aqui mesmo.',
  'signIn.error.sessionEnded':
    'Entretanto, você saiu neste navegador, ou a sua sessão terminou. Nada mudou. Entre novamente.',
  'signIn.error.sessionRequired': 'Entre para ver essa página.',
  'signIn.error.addressTaken':
    'Você já tem uma conta aqui com o mesmo e-mail. Entre como fazia antes. Depois você poderá conectar {provider}.',
  'signIn.error.otherId': '{provider} tinha outro identificador seu. Entre de outra forma ou fale conosco.',
  'signIn.error.addressTakenUnproven':
    'O e-mail dessa conta já é usado aqui. Se for seu, entre como fazia antes ou com um link que enviamos por e-mail. Depois você poderá conectar {provider}.',
  'passkey.waiting': 'Aguardando a sua chave de acesso…',
  'passkey.signedIn': 'Você entrou. Um momento…',
  'passkey.error.failed': 'Não funcionou. Tente novamente ou entre de outra forma.',
  'passkey.error.offline': 'Não há ligação com o servidor neste momento. Confira a sua conexão e tente novamente.',
  'passkey.error.server': 'Algo deu errado do nosso lado. Tente novamente mais tarde.',
  'passkey.error.accessDenied': 'Funcionou, mas esta conta não tem acesso aqui.',
  'passkey.error.accountNotLinked': 'Já existe uma conta com esse e-mail. Entre como fazia antes.',
  'passkey.error.alreadyRegistered': 'Você já tem uma chave de acesso neste dispositivo. Use-a para entrar.',
  'passkey.error.cancelled':
    'Isso foi cancelado, ou não há chave de acesso para este site neste dispositivo. Você pode tentar de novo.',
  'passkey.error.notCreated': 'Isso foi cancelado, e nenhuma chave de acesso foi criada. Você pode tentar de novo.',
  'passkey.error.noAuthenticator':
    'Este dispositivo não consegue fazer isso. Tente outro dispositivo ou uma chave de segurança.',
  'passkey.error.notAllowed': 'O seu navegador não permite chaves de acesso nesta página.',
  'passkey.error.notVerified':
    'Não conhecemos essa chave de acesso ou não conseguimos verificá-la. Tente outra ou entre de outra forma.',
  'passkey.error.refused':
    'Não podemos criar uma conta para esse endereço. Se já tem uma conta, entre como fazia antes.',
  'passkey.error.recent': 'Você entrou há algum tempo. Entre novamente e depois adicione a chave de acesso.',
  'passkey.error.sessionChanged':
    'Entretanto, você ou outra pessoa entrou ou saiu neste navegador. Recarregue a página.',
  'passkey.error.timedOut': 'Demorou demais. Tente novamente.',
  'passkey.error.unsupported': 'Este navegador não aceita chaves de acesso.',
  'verifyRequest.title': 'Confira o seu e-mail',
  'verifyRequest.lead': 'Enviamos um link para você entrar. Abra-o neste navegador para entrar imediatamente.',
  'verifyRequest.leadTo': 'Enviamos um link para {address}. Abra-o neste navegador para entrar imediatamente.',
  'verifyRequest.leadAgain':
    'Enviamos outro link para {address}. Abra o mais recente neste navegador para entrar imediatamente.',
  'verifyRequest.lifetime': 'O link funciona uma vez, durante {lifetime}.',
  'verifyRequest.wait': 'Pode levar um ou dois minutos para chegar.',
  'verifyRequest.junk': 'Se nada chegar, confira também o lixo eletrônico.',
  'verifyRequest.again': 'Enviar outro link',
  'verifyRequest.other': 'Usar outro endereço',
  'confirm.title': 'É você?',
  'confirm.lead': 'Você está prestes a entrar em {site}.',
  'confirm.leadAs': 'Você está prestes a entrar em {site} como {user}.',
  'confirm.submit': 'Entrar',
  'confirm.hint': 'Se você não pediu isto, feche esta página. Nada acontecerá.',
  'link.title': 'Conectar {provider}',
  'link.titlePermission': 'Permissão em {provider}',
  'link.titleSignIn': 'Entrar em {provider}',
  'link.lead': 'Você está prestes a conectar a sua conta de {provider} à sua conta em {site}.',
  'link.leadPermission':
    '{provider} pede a sua permissão novamente. A sua conta em {site} já está conectada a uma conta de lá.',
  'link.leadSignIn':
    'Você está prestes a entrar novamente em {provider}, para que {site} possa usar a sua conta de lá.',
  'link.user': 'Você entrou como {user}.',
  'link.way': 'Levamos você a {provider}, e você volta para cá.',
  'link.afterwards': 'Depois você também poderá entrar com {provider}.',
  'link.anotherAccount':
    'Se você escolher outra conta lá, ela também será conectada. Depois você também poderá entrar com ela.',
  'link.scope': 'Pedimos a {provider} mais permissões:',
  'link.submit': 'Conectar {provider}',
  'link.submitContinue': 'Continuar para {provider}',
  'link.back': 'Agora não',
  'link.error.general': 'Não foi possível conectar a conta. Nada mudou. Você pode tentar de novo.',
  'link.error.csrf':
    'Esta página ficou aberta por muito tempo, ou o seu navegador não guarda os nossos cookies. Aperte o botão mais uma vez.',
  'link.error.cancelled':
    'Isso foi cancelado, demorou demais ou já tinha sido usado. Nada mudou. Você pode tentar de novo.',
  'link.error.ofAnotherUser':
    'Essa conta pertence aqui a outra pessoa, por isso não foi conectada. Nada mudou. Para conectar outra conta, aperte o botão. {provider} vai perguntar qual é.',
  'link.error.ofAnotherUserSignOut':
    'Essa conta pertence aqui a outra pessoa, por isso não foi conectada. Nada mudou. Para conectar outra conta, saia primeiro de {provider}. Depois aperte o botão.',
  'signOut.title': 'Sair',
  'signOut.lead': 'Você está prestes a sair de {site} neste dispositivo.',
  'signOut.also': 'Sair também de {provider}',
  'signOut.alsoSure': 'Você também sairá de {provider}.',
  'signOut.submit': 'Sair',
  'signOut.stay': 'Manter a sessão',
  'signOut.error.csrf':
    'A sua sessão continua aberta: a página ficou aberta por muito tempo, ou o seu navegador não guarda os nossos cookies. Aperte o botão mais uma vez.',
  'signedOut.title': 'Você saiu',
  'signedOut.lead': 'Ninguém entrou em {site} neste navegador.',
  'signedOut.signIn': 'Entrar',
  'providerLogout.title': 'Sair de {provider}',
  'providerLogout.lead': 'Você saiu daqui. Continue para sair também de {provider}.',
  'providerLogout.submit': 'Continuar',
  'providerLogout.stay': 'Manter a sessão lá',
  'error.status': 'Erro {status}',
  'error.toSignIn': 'Ir para a entrada',
  'error.startAgain': 'Começar de novo',
  'error.tryAgain': 'Tentar novamente',
  'error.goBack': 'Voltar',
  'error.otherAccount': 'Entrar com outra conta',
  'error.sendLink': 'Enviar um novo link',
  'error.continue': 'Continuar',
  'error.home': 'Ir para a página inicial',
  'error.log': 'Para desenvolvedores: o log do servidor diz o motivo.',
  'error.general.title': 'Algo deu errado',
  'error.general.text': 'Não funcionou. Tente novamente.',
  'error.accessDenied.title': 'Sem acesso',
  'error.accessDenied.text': 'Você entrou, mas esta conta não tem acesso aqui. Se tiver outra conta, tente com ela.',
  'error.accessDenied.textId': 'Seu identificador no outro site é longo demais ou incomum. Entre em contato conosco.',
  'error.configuration.title': 'Um problema do nosso lado',
  'error.configuration.text':
    'Algo está configurado incorretamente, e não conseguimos concluir o seu pedido. Tente novamente mais tarde.',
  'error.unavailable.title': 'Um momento, por favor',
  'error.unavailable.text':
    'Uma parte do nosso serviço não responde neste momento. Nada se perdeu. Tente novamente daqui a pouco.',
  'error.sessionUnavailable.title': 'Um momento, por favor',
  'error.sessionUnavailable.text':
    'Não conseguimos verificar neste momento se você entrou. Nada se perdeu. Tente novamente daqui a pouco.',
  'error.signOut.title': 'Sessão encerrada neste navegador',
  'error.signOut.text':
    'Você saiu neste navegador e não precisa fazer mais nada. Do nosso lado, a sua sessão ainda pode ficar aberta por algum tempo. Isso só importa se alguém tiver uma cópia dela. Se achar que é o caso, avise-nos.',
  'error.emailNotConfirmed.title': 'Este endereço não está confirmado',
  'error.emailNotConfirmed.text':
    'Alguém se cadastrou aqui de outra forma com este e-mail e nunca o confirmou. Se foi você, entre dessa forma. Se não foi, avise os responsáveis por este site. O link já não pode ser usado.',
  'error.verification.title': 'Este link já não funciona',
  'error.verification.text': 'Ele já foi usado ou expirou. Entre novamente para receber um novo link.',
  'error.verification.textSend': 'Ele já foi usado ou expirou. Podemos enviar um novo link para {address}.',
  'error.verification.textSignedIn': 'Ele já foi usado ou expirou. Você já entrou e não precisa dele.',
  'error.passkey.title': 'A sua chave de acesso não foi aceita',
  'error.passkey.text': 'Não conseguimos verificá-la. Tente novamente ou entre de outra forma.',
  'error.notAllowed.title': 'Sem acesso a esta página',
  'error.notAllowed.text':
    'Você entrou, mas a sua conta não pode abrir esta página. Se tiver outra conta, entre com ela.',
  'refusal.general.title': 'Não entendemos isso',
  'refusal.general.text': 'O pedido estava incompleto ou danificado. Comece de novo.',
  'refusal.notFound.title': 'Não há nada aqui',
  'refusal.notFound.text': 'Não há nenhuma página neste endereço. Confira se o endereço está correto.',
  'refusal.method.title': 'Isso não funciona aqui',
  'refusal.method.text': 'Este endereço não pode ser usado dessa forma. Comece de novo.',
  'refusal.lastWay.title': 'A sua única forma de entrar',
  'refusal.lastWay.text':
    'Sem ela, você não poderia mais entrar, por isso não foi removida. Adicione primeiro outra forma de entrar.',
  'refusal.tooLarge.title': 'Grande demais',
  'refusal.tooLarge.text': 'O seu pedido é maior do que aceitamos. Encurte-o e tente novamente.',
  'refusal.format.title': 'Formato desconhecido',
  'refusal.format.text': 'O seu pedido tem um formato que não conseguimos ler. Use o formulário deste site.',
  'refusal.form.title': 'Tente novamente',
  'refusal.form.text':
    'A página ficou aberta por muito tempo, ou o seu navegador não guarda os nossos cookies. Nada mudou. Volte e aperte o botão mais uma vez.',
  'refusal.signedOut.title': 'Você saiu',
  'refusal.signedOut.text':
    'Entretanto, você saiu neste navegador, ou a sua sessão terminou. Nada mudou. Entre novamente e depois aperte o botão mais uma vez.',
  'refusal.gone.title': 'Não encontrado',
  'refusal.gone.text': 'Talvez já tenha sido removido. Volte para ver o que existe agora.',
  'site.unknown': 'este site',
  'mail.signIn.subject': 'Entrar em {site}',
  'mail.signIn.preview': 'O seu link funciona durante {lifetime}.',
  'mail.signIn.lead': 'Alguém, provavelmente você, pediu este link. Ele funciona uma vez, durante {lifetime}.',
  'mail.signIn.open': 'Abra este link no seu navegador:',
  'mail.signIn.button': 'Entrar',
  'mail.signIn.copy': 'Se o botão não funcionar, copie este endereço para o seu navegador:',
  'mail.signIn.ignore': 'Se você não o pediu, pode ignorar esta mensagem. Sem o link, ninguém consegue entrar.',
  'mail.notice.subject': '{title}: {site}',
  'mail.notice.added': 'Uma nova forma de entrar',
  'mail.notice.removed': 'Uma forma de entrar foi removida',
  'mail.notice.accountLinked': '{provider} foi conectado à sua conta em {site}. Agora você pode entrar dessa forma.',
  'mail.notice.accountUnlinked':
    '{provider} foi desconectado da sua conta em {site}. Você não pode mais entrar dessa forma.',
  'mail.notice.passkeyAdded':
    'Uma chave de acesso foi adicionada à sua conta em {site}. Agora você pode entrar com ela.',
  'mail.notice.passkeyRemoved':
    'Uma chave de acesso foi removida da sua conta em {site}. Você não pode mais entrar com ela.',
  'mail.notice.unknownProvider': 'Um provedor',
  'mail.notice.advice':
    'Se não foi você, entre, encerre todas as outras sessões e avise os responsáveis por este site.',
}

package io.viaduct.bridge.events;

import io.viaduct.bridge.registrar.SipService;
import io.viaduct.bridge.token.SessionNotifier;
import io.viaduct.sip.IncomingRequest;

/// Passes each SUBSCRIBE to the notifier of its event package. [SessionNotifier] refuses those that
/// no notifier has.
final class Notifiers implements SipService.Notifier {
  private final EventNotifier accounts;
  private final SessionNotifier sessions;

  Notifiers(EventNotifier accounts, SessionNotifier sessions) {
    this.accounts = accounts;
    this.sessions = sessions;
  }

  @Override
  public void onSubscribe(IncomingRequest request) {
    if (accounts.takes(request.message())) {
      accounts.onSubscribe(request);
    } else {
      sessions.onSubscribe(request);
    }
  }
}

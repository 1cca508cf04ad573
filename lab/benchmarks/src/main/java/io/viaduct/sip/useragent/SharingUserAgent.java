package io.viaduct.sip.useragent;

import io.viaduct.sip.IncomingRequest;
import io.viaduct.sip.RequestSender;
import java.time.InstantSource;
import java.util.concurrent.Executor;
import java.util.random.RandomGenerator;

/// The user agent of a device's agent, on a thread that it shares with many others: the code of
/// [UserAgent] without its socket, its thread and its SIP stack, of which thousands would not fit
/// into one process. The caller calls [#tick].
public final class SharingUserAgent {
  private final RegisteredUser user;

  /// @param owner runs tasks one at a time; [#tick] is called by it too
  public SharingUserAgent(
      UserAgentSettings settings,
      InstantSource clock,
      RandomGenerator random,
      RequestSender endpoint,
      Executor owner,
      UserAgentListener listener) {
    user = new RegisteredUser(settings, clock, random, endpoint, owner, listener);
  }

  /// Registers, subscribes to the session, and keeps both.
  ///
  /// @param deviceKey Ed25519 public key that tokens are bound to, 32 bytes raw
  public void begin(byte[] deviceKey) {
    user.register();
    user.subscribeSession(deviceKey);
  }

  /// Tells whether a tunnel stands.
  public void tunnel(boolean isUp) {
    user.tunnel(isUp);
  }

  public void onRequest(IncomingRequest request) {
    user.onRequest(request);
  }

  /// Sends what is due.
  public void tick() {
    user.tick();
  }
}

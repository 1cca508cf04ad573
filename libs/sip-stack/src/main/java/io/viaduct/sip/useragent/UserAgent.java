package io.viaduct.sip.useragent;

import io.viaduct.sip.SipResponse;
import io.viaduct.sip.endpoint.SipEndpoint;
import io.viaduct.sip.endpoint.SipStatistics;
import java.io.IOException;
import java.time.InstantSource;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// A user agent for one user: a [RegisteredUser] with sockets and a thread of its own. Methods may
/// be called from any thread and return at once. All state belongs to that thread, which also runs
/// the timers ten times a second.
public final class UserAgent implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(UserAgent.class);
  private static final long TICK_MS = 100;

  private final UserAgentSettings settings;
  private final ScheduledExecutorService owner =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().daemon().name("sip-user-agent").factory());
  private final SipEndpoint endpoint;
  private final RegisteredUser user;

  private UserAgent(UserAgentSettings settings, InstantSource clock, UserAgentListener listener)
      throws IOException {
    this.settings = settings;
    CompletableFuture<RegisteredUser> serving = new CompletableFuture<>();
    this.endpoint =
        SipEndpoint.start(settings.endpoint(), clock, request -> serving.join().onRequest(request));
    this.user =
        new RegisteredUser(
            settings, clock, RandomGenerator.getDefault(), endpoint, owner, listener);
    serving.complete(user);
  }

  /// Opens the sockets. [#register] starts the registration.
  ///
  /// @throws IOException if a socket cannot be opened
  public static UserAgent start(
      UserAgentSettings settings, InstantSource clock, UserAgentListener listener)
      throws IOException {
    UserAgent agent = new UserAgent(settings, clock, listener);
    var unused =
        agent.owner.scheduleWithFixedDelay(agent::onClock, TICK_MS, TICK_MS, TimeUnit.MILLISECONDS);
    return agent;
  }

  public UserAgentState state() {
    return user.state();
  }

  public SipStatistics statistics() {
    return endpoint.statistics();
  }

  /// Returns the round trip of SIP.
  public SipRoundTrip roundTrip() {
    return user.roundTrip();
  }

  /// Returns the local port, which is the same for UDP and TCP.
  public int port() {
    return endpoint.port();
  }

  /// Tells whether a tunnel stands. While none does, SIP is probed more often ([ProbePace]).
  public void tunnel(boolean isUp) {
    user.tunnel(isUp);
  }

  /// Registers and keeps the registration renewed.
  public void register() {
    user.register();
  }

  /// Subscribes to the session event package once registered, and keeps the subscription renewed.
  ///
  /// @param deviceKey Ed25519 public key that tokens are bound to, 32 bytes raw
  public void subscribeSession(byte[] deviceKey) {
    user.subscribeSession(deviceKey);
  }

  /// Registers and subscribes anew at once after a change of the device's address, so that the
  /// bridge learns the new address.
  public void networkChanged() {
    user.networkChanged();
  }

  /// Ends subscription and registration.
  ///
  /// @return completed when the registrar has answered
  public CompletableFuture<SipResponse> deregister() {
    return user.deregister();
  }

  /// Sends a MESSAGE (RFC 3428) through the registrar.
  ///
  /// @param to local part of the recipient in our domain, or a whole `sip:` URI
  /// @return the final response, or a [SipException]
  public CompletableFuture<SipResponse> sendMessage(String to, String contentType, String text) {
    return user.sendMessage(to, contentType, text);
  }

  /// Publishes an event state of the user (RFC 3903), each one as a publication of its own.
  ///
  /// @param event event package
  /// @return the final response, or a [SipException]
  public CompletableFuture<SipResponse> publish(String event, String contentType, byte[] body) {
    return user.publish(event, contentType, body);
  }

  private void onClock() {
    try {
      user.tick();
    } catch (RuntimeException e) {
      // An exception would silently end the schedule and thus all renewals.
      LOG.error("user agent of {}", settings.addressOfRecord(), e);
    }
  }

  /// Closes the sockets without deregistering; for that call [#deregister] before.
  @Override
  public void close() {
    owner.shutdownNow();
    endpoint.close();
  }
}

package io.viaduct.sip.useragent;

import io.viaduct.sip.HostPort;
import io.viaduct.sip.SipException;
import io.viaduct.sip.SipFlow;
import io.viaduct.sip.SipUri;
import io.viaduct.sip.Transport;
import io.viaduct.sip.digest.DigestAlgorithm;
import io.viaduct.sip.endpoint.SipEndpointSettings;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.stream.Stream;

/// The user's account and how the user agent reaches its registrar.
///
/// @param registrar host and port; a name is resolved again for each registration
/// @param expires requested lifetime of registration and subscription
/// @param attemptTimeout time after which a registration without an answer is tried again
/// @param keepAlive pause between checks of the registration, which also keep a NAT's binding
///   alive; over UDP (RFC 5626 section 4.4.1 advises 24 to 29 s), over TCP four times as long
/// @param backOffMax longest wait between attempts
/// @param probes pauses between probes of the registrar
/// @param algorithms that the server may ask for
public record UserAgentSettings(
    String domain,
    String user,
    String password,
    HostPort registrar,
    Transport transport,
    Duration expires,
    Duration attemptTimeout,
    Duration keepAlive,
    Duration backOffMax,
    ProbePace probes,
    Set<DigestAlgorithm> algorithms,
    SipEndpointSettings endpoint) {
  private static final int DEFAULT_PORT = 5060;

  public UserAgentSettings {
    algorithms = Set.copyOf(algorithms);
    if (expires.toSeconds() < 1) {
      throw new IllegalArgumentException("expires must be at least 1s, got " + expires);
    }
    if (!attemptTimeout.isPositive() || !keepAlive.isPositive() || !backOffMax.isPositive()) {
      throw new IllegalArgumentException(
          "attempt-timeout, keep-alive and back-off-max must be positive, got "
              + attemptTimeout
              + ", "
              + keepAlive
              + ", "
              + backOffMax);
    }
    if (registrar.port() == 0) {
      registrar = new HostPort(registrar.host(), DEFAULT_PORT);
    }
  }

  /// Returns settings with the default times.
  public static UserAgentSettings of(
      String domain,
      String user,
      String password,
      HostPort registrar,
      Transport transport,
      SipEndpointSettings endpoint) {
    return new UserAgentSettings(
        domain,
        user,
        password,
        registrar,
        transport,
        Duration.ofMinutes(10),
        // By then the fourth retransmission over UDP has had no answer.
        Duration.ofSeconds(8),
        Duration.ofSeconds(29),
        Duration.ofSeconds(60),
        ProbePace.USUAL,
        Set.of(DigestAlgorithm.SHA_256, DigestAlgorithm.MD5),
        endpoint);
  }

  public UserAgentSettings withExpires(Duration next) {
    return new UserAgentSettings(
        domain,
        user,
        password,
        registrar,
        transport,
        next,
        attemptTimeout,
        keepAlive,
        backOffMax,
        probes,
        algorithms,
        endpoint);
  }

  public UserAgentSettings withProbes(ProbePace next) {
    return new UserAgentSettings(
        domain,
        user,
        password,
        registrar,
        transport,
        expires,
        attemptTimeout,
        keepAlive,
        backOffMax,
        next,
        algorithms,
        endpoint);
  }

  /// Returns `sip:user@domain`.
  public SipUri addressOfRecord() {
    return SipUri.of(user, domain);
  }

  /// Looks up the registrar's addresses: several servers may serve one name. A lookup of a name may
  /// block.
  ///
  /// @return at least one
  /// @throws CompletionException with a [SipException] if the name has no address
  List<SipFlow> resolveRegistrar() {
    try {
      return Stream.of(InetAddress.getAllByName(registrar.host()))
          .map(address -> new SipFlow(transport, new InetSocketAddress(address, registrar.port())))
          .toList();
    } catch (UnknownHostException e) {
      throw new CompletionException(
          new SipException(SipException.Reason.TRANSPORT, "no address for " + registrar.host()));
    }
  }

  @Override
  public String toString() {
    return addressOfRecord() + " at " + registrar + " by " + transport;
  }
}

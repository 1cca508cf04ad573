package io.viaduct.bridge.sip;

import io.micrometer.core.instrument.MeterRegistry;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslContext;
import io.viaduct.bridge.configuration.BridgeConfiguration;
import io.viaduct.bridge.configuration.CoreSettings;
import io.viaduct.bridge.configuration.SipSettings;
import io.viaduct.service.tls.CertificateCheck;
import io.viaduct.service.tls.CertificateMeters;
import io.viaduct.service.tls.ExchangeableTls;
import io.viaduct.service.tls.TlsMaterial;
import io.viaduct.sip.Transport;
import io.viaduct.sip.transport.SocketSettings.StreamListener;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The listeners for TLS and WebSocket, and the certificate that they show. The certificate is
/// exchanged while connections are open. User agents show none, because they authenticate by
/// digest; servers of an IMS core may show theirs over TLS.
public final class SipListeners {
  private final SipSettings sip;
  private final @Nullable ExchangeableTls tls;

  /// @throws io.viaduct.service.configuration.ConfigurationException if the certificate cannot be
  ///   used
  public SipListeners(
      BridgeConfiguration configuration, MeterRegistry registry, InstantSource clock) {
    sip = configuration.sip();
    tls =
        sip.tls().exists()
            ? new ExchangeableTls(
                trusting(material(sip.tls()), authorities(configuration.core(), clock.instant())))
            : null;
    if (tls != null) {
      CertificateMeters.server(registry, "sip", tls);
    }
  }

  private static TlsMaterial material(SipSettings.Tls files) {
    return TlsMaterial.server(Path.of(files.certificate()), Path.of(files.privateKey()));
  }

  /// Reads the authorities of the core's servers; none if it has no servers with TLS.
  ///
  /// @throws io.viaduct.service.configuration.ConfigurationException naming the file and what to do
  public static List<X509Certificate> authorities(CoreSettings core, Instant now) {
    return core.trust().isEmpty()
        ? List.of()
        : CertificateCheck.authorities("core.trust", Path.of(core.trust()), now);
  }

  private static TlsMaterial trusting(TlsMaterial own, List<X509Certificate> authorities) {
    return new TlsMaterial(own.chain(), own.key(), authorities);
  }

  /// Checks the certificate of a configuration, if it names one.
  ///
  /// @throws io.viaduct.service.configuration.ConfigurationException naming the file and what to do
  public static void check(SipSettings.Tls files, Instant now) {
    if (files.exists()) {
      CertificateCheck.server(
          "sip.tls.certificate", Path.of(files.certificate()), material(files), now);
    }
  }

  /// Returns the action that puts a certificate into use. TLS is not switched on or off while the
  /// bridge runs.
  public Runnable prepare(SipSettings.Tls next) {
    return tls == null || !next.exists()
        ? () -> {}
        : tls.prepare(trusting(material(next), tls.get().authorities()));
  }

  List<StreamListener> listeners() {
    List<StreamListener> listeners = new ArrayList<>();
    SipSettings.WebSocket web = sip.webSocket();
    if (web.enabled()) {
      listeners.add(new StreamListener(Transport.WS, at(web.port()), null));
    }
    if (tls != null) {
      listeners.add(
          new StreamListener(
              Transport.TLS,
              at(sip.tls().port()),
              context(
                  tls, tls.get().authorities().isEmpty() ? ClientAuth.NONE : ClientAuth.OPTIONAL)));
      if (web.enabled()) {
        listeners.add(
            new StreamListener(Transport.WSS, at(web.securePort()), context(tls, ClientAuth.NONE)));
      }
    }
    return listeners;
  }

  // Many telephones know no TLS 1.3.
  private static SslContext context(ExchangeableTls tls, ClientAuth clients) {
    return tls.context(
        files -> files.serverBuilder(clients).protocols("TLSv1.3", "TLSv1.2").build());
  }

  private InetSocketAddress at(int port) {
    return new InetSocketAddress(sip.host(), port);
  }
}

package io.viaduct.service.tls;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.function.Supplier;

/// Registers the expiry times of a process's certificates, as Unix time in seconds. An alarm rule
/// is `viaduct_certificate_expiry_timestamp_seconds - time() < 14 * 86400`.
public final class CertificateMeters {
  private static final String NAME = "viaduct_certificate_expiry_timestamp_seconds";

  private CertificateMeters() {}

  /// Registers the expiry of the process's certificate and of the authorities that it trusts.
  ///
  /// @param now returns the current files; called at every scrape, because a reload changes them
  public static void bind(MeterRegistry registry, Supplier<TlsMaterial> now) {
    gauge(registry, "own", () -> now.get().chain());
    trust(registry, () -> now.get().authorities());
  }

  /// Registers the expiry of a further certificate of the process, which it shows to other peers.
  ///
  /// @param certificate value of the label
  public static void server(MeterRegistry registry, String certificate, Supplier<TlsMaterial> now) {
    gauge(registry, certificate, () -> now.get().chain());
  }

  /// Registers the expiry of the authorities only, for a process without a certificate of its own.
  public static void trust(MeterRegistry registry, Supplier<List<X509Certificate>> authorities) {
    gauge(registry, "trust", authorities);
  }

  private static void gauge(
      MeterRegistry registry, String certificate, Supplier<List<X509Certificate>> chain) {
    Gauge.builder(NAME, () -> earliest(chain.get()))
        .description("Unix time at which the first certificate of the file expires")
        .tag("certificate", certificate)
        .register(registry);
  }

  private static double earliest(List<X509Certificate> certificates) {
    return certificates.stream()
        .mapToLong(certificate -> certificate.getNotAfter().toInstant().getEpochSecond())
        .min()
        .orElseThrow(() -> new IllegalStateException("a PEM file without certificate was read"));
  }
}

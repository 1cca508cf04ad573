package io.viaduct.service.tls;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.function.Supplier;

/// Shows when the certificates of a process expire, as Unix time in seconds, so that an alarm is
/// `viaduct_certificate_expiry_timestamp_seconds - time() < 14 * 86400`.
public final class CertificateMeters {
  private static final String NAME = "viaduct.certificate.expiry.timestamp.seconds";

  private CertificateMeters() {}

  /// Shows the process's own certificate and the authorities that it trusts.
  ///
  /// @param now what is in use, asked at every scrape: a reload changes it
  public static void bind(MeterRegistry registry, Supplier<TlsMaterial> now) {
    gauge(registry, "own", () -> now.get().chain());
    trust(registry, () -> now.get().authorities());
  }

  /// Shows the authorities alone, for a process without a certificate of its own.
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

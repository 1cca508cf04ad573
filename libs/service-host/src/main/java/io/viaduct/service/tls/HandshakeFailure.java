package io.viaduct.service.tls;

import io.netty.handler.ssl.NotSslRecordException;
import java.nio.channels.ClosedChannelException;
import java.security.SignatureException;
import java.security.cert.CertPathBuilderException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Explains in one clause why a connection failed. Libraries give nested exceptions, and some
/// messages contain a whole pipeline.
public final class HandshakeFailure {
  private static final int LENGTH_MAX = 300;

  // RFC 8446 section 6.2: alerts with which the other end refuses a certificate.
  private static final Pattern REFUSED =
      Pattern.compile(
          "(?i)alert: (certificate_\\w+|bad_certificate|unsupported_certificate|unknown_ca|access_denied)");

  private HandshakeFailure() {}

  /// Returns the reason at the root of a failure, on one line without control characters.
  public static String reason(Throwable failure) {
    Throwable root = failure;
    for (int depth = 0; root.getCause() != null && depth < 32; depth++) {
      root = root.getCause();
    }
    String message =
        root.getMessage() == null ? root.getClass().getSimpleName() : root.getMessage();
    return switch (root) {
      // The authority is unknown, or it has another key under the same name.
      case CertPathBuilderException _, SignatureException _ ->
          "its certificate is not signed by an authority that is trusted here";
      case CertificateExpiredException _ -> "its certificate has expired: " + firstLine(message);
      case CertificateNotYetValidException _ ->
          "its certificate is not valid yet: " + firstLine(message);
      case ClosedChannelException _ -> "the other end closed the connection";
      case NotSslRecordException _ ->
          "it does not speak TLS"; // its message quotes the received bytes
      default -> withAlert(firstLine(message));
    };
  }

  private static String withAlert(String message) {
    Matcher alert = REFUSED.matcher(message);
    return alert.find()
        ? "the other end refuses the certificate that it was shown (TLS alert %s)"
            .formatted(alert.group(1))
        : message;
  }

  private static String firstLine(String reason) {
    String first = reason.lines().findFirst().orElse("").replaceAll("\\p{Cntrl}", " ").strip();
    return first.length() > LENGTH_MAX ? first.substring(0, LENGTH_MAX) + " …" : first;
  }
}

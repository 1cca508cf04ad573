package io.viaduct.billing.webhook;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.viaduct.service.configuration.Secret;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/// Signs and checks the bodies of webhooks by HMAC-SHA256 with a shared secret. The header is
/// `t=<seconds since 1970>,v1=<hex>` and signs `<seconds>.<body>`, as Stripe's webhooks have it.
public final class WebhookSignature {
  /// Name of the header.
  public static final String HEADER = "Viaduct-Signature";

  private static final Pattern FORM = Pattern.compile("t=([0-9]{1,12}),v1=([0-9a-f]{64})");

  private final SecretKeySpec key;

  /// @param secret the shared secret
  public WebhookSignature(Secret secret) {
    this(secret.reveal().getBytes(UTF_8));
  }

  private WebhookSignature(byte[] secret) {
    key = new SecretKeySpec(secret, "HmacSHA256");
  }

  /// The result of a check.
  public enum Check {
    /// The sender knows the secret, and signed it just now.
    VALID,
    /// The header is missing, or is no signature of this body.
    WRONG,
    /// The signature is right, but of another time: the message may be an old one that somebody
    /// sends again.
    STALE
  }

  /// Returns the header for a body that is sent now.
  public String sign(Instant now, byte[] body) {
    long seconds = now.getEpochSecond();
    return "t=%d,v1=%s".formatted(seconds, HexFormat.of().formatHex(mac(seconds, body)));
  }

  /// Returns the header for a body that is signed by several secrets, as while they are changed:
  /// `t=<seconds>,v1=<hex>,v1=<hex>`.
  public static String signAll(List<String> secrets, Instant now, byte[] body) {
    return "t="
        + now.getEpochSecond()
        + secrets.stream()
            .map(secret ->
                new WebhookSignature(secret.getBytes(UTF_8)).mac(now.getEpochSecond(), body))
            .map(mac -> ",v1=" + HexFormat.of().formatHex(mac))
            .collect(Collectors.joining());
  }

  /// Checks the header of a received body. The comparison takes equally long for every signature.
  ///
  /// @param tolerance most difference between the signed time and now, in both directions
  public Check check(@Nullable String header, byte[] body, Instant now, Duration tolerance) {
    Matcher signature = FORM.matcher(header == null ? "" : header);
    if (!signature.matches()) {
      return Check.WRONG;
    }
    long seconds = Long.parseLong(signature.group(1));
    byte[] claimed = HexFormat.of().parseHex(signature.group(2));
    if (!MessageDigest.isEqual(mac(seconds, body), claimed)) {
      return Check.WRONG;
    }
    return Duration.between(Instant.ofEpochSecond(seconds), now).abs().compareTo(tolerance) <= 0
        ? Check.VALID
        : Check.STALE;
  }

  private byte[] mac(long seconds, byte[] body) {
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(key);
      mac.update((seconds + ".").getBytes(UTF_8));
      return mac.doFinal(body);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java has HMAC-SHA256", e);
    }
  }
}

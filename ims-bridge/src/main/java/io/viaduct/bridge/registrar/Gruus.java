package io.viaduct.bridge.registrar;

import io.viaduct.sip.SipUri;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Base64;
import java.util.Optional;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/// Globally routable URIs of user agents (GRUU, RFC 5627): a public one, which names user and
/// instance, and temporary ones, which hide both. A temporary GRUU holds user, instance and Call-ID
/// of the registration, sealed (AES-GCM), so the bridge stores none. It is valid while the instance
/// stays registered by that Call-ID. Thread-safe.
public final class Gruus {
  private static final String PREFIX = "tgruu.";
  private static final String PARAMETER = "gr";
  private static final String BETWEEN = "\n";

  /// Length of the key.
  public static final int KEY_BYTES = 16;

  private static final int NONCE_BYTES = 12;
  private static final int TAG_BITS = 128;

  private final String domain;
  private final SecureRandom random = new SecureRandom();
  private final SecretKeySpec key;

  /// The user agent that a GRUU names.
  ///
  /// @param instance as in [Binding#instance]
  /// @param callId of the registration; empty for a public GRUU, which outlives it
  record Target(String user, String instance, String callId) {
    boolean is(Binding contact) {
      return instance.equals(contact.instance())
          && (callId.isEmpty() || callId.equals(contact.callId()));
    }
  }

  /// Makes URIs of a domain. Temporary GRUUs of another key are not recognised.
  ///
  /// @param key [#KEY_BYTES] bytes
  public Gruus(String domain, byte[] key) {
    this.domain = domain;
    this.key = new SecretKeySpec(key, "AES");
  }

  /// Returns the public GRUU of an instance.
  public String ofInstance(String user, String instance) {
    return "sip:%s@%s;%s=%s".formatted(user, domain, PARAMETER, escaped(instance));
  }

  /// Returns a new temporary GRUU of a registration.
  String temporary(Binding contact) {
    byte[] nonce = new byte[NONCE_BYTES];
    random.nextBytes(nonce);
    byte[] sealed =
        cipher(
            Cipher.ENCRYPT_MODE,
            nonce,
            String.join(BETWEEN, contact.user(), contact.instance(), contact.callId())
                .getBytes(StandardCharsets.UTF_8));
    byte[] whole = Arrays.copyOf(nonce, NONCE_BYTES + sealed.length);
    System.arraycopy(sealed, 0, whole, NONCE_BYTES, sealed.length);
    return "sip:%s%s@%s;%s"
        .formatted(
            PREFIX,
            Base64.getUrlEncoder().withoutPadding().encodeToString(whole),
            domain,
            PARAMETER);
  }

  /// Returns the target of a GRUU of ours; empty if the URI is none.
  Optional<Target> target(String uri) {
    SipUri parsed;
    try {
      parsed = SipUri.parse(uri);
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
    String instance = parsed.parameters().get(PARAMETER);
    if (instance == null || !parsed.host().equals(domain)) {
      return Optional.empty();
    }
    return parsed.user().startsWith(PREFIX)
        ? opened(parsed.user().substring(PREFIX.length()))
        : Optional.of(new Target(parsed.user(), unescaped(instance), ""));
  }

  private Optional<Target> opened(String text) {
    try {
      byte[] whole = Base64.getUrlDecoder().decode(text);
      if (whole.length <= NONCE_BYTES) {
        return Optional.empty();
      }
      String[] parts =
          new String(
                  cipher(
                      Cipher.DECRYPT_MODE,
                      Arrays.copyOf(whole, NONCE_BYTES),
                      Arrays.copyOfRange(whole, NONCE_BYTES, whole.length)),
                  StandardCharsets.UTF_8)
              .split(BETWEEN, 3);
      return Optional.of(new Target(parts[0], parts[1], parts[2]));
    } catch (IllegalArgumentException e) {
      return Optional.empty(); // not ours, or of another key
    }
  }

  private byte[] cipher(int mode, byte[] nonce, byte[] input) {
    try {
      Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
      cipher.init(mode, key, new GCMParameterSpec(TAG_BITS, nonce));
      return cipher.doFinal(input);
    } catch (GeneralSecurityException e) {
      throw new IllegalArgumentException("sealed with another key", e);
    }
  }

  // An instance is written <urn:...>; in the URI without brackets (RFC 5627 section 3.1).
  private static String escaped(String instance) {
    StringBuilder text = new StringBuilder();
    for (byte octet : inner(instance).getBytes(StandardCharsets.UTF_8)) {
      char c = (char) (octet & 0xff);
      if (Character.isLetterOrDigit(c) && c < 0x80 || "-_.!~*'():&+$/".indexOf(c) >= 0) {
        text.append(c);
      } else {
        text.append("%%%02X".formatted((int) c));
      }
    }
    return text.toString();
  }

  private static String unescaped(String value) {
    byte[] octets = new byte[value.length()];
    int length = 0;
    for (int i = 0; i < value.length(); i++) {
      boolean isEscape =
          value.charAt(i) == '%'
              && i + 2 < value.length()
              && value.substring(i + 1, Math.min(i + 3, value.length())).matches("[0-9A-Fa-f]{2}");
      octets[length++] =
          (byte) (isEscape ? Integer.parseInt(value.substring(i + 1, i + 3), 16) : value.charAt(i));
      i += isEscape ? 2 : 0;
    }
    return "<" + new String(octets, 0, length, StandardCharsets.UTF_8) + ">";
  }

  private static String inner(String instance) {
    return instance.startsWith("<") && instance.endsWith(">")
        ? instance.substring(1, instance.length() - 1)
        : instance;
  }
}

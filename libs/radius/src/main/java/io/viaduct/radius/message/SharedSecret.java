package io.viaduct.radius.message;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Optional;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/// The secret that a client and a server share. It makes and checks the authenticators of packets:
/// MD5 over packet and secret (RFC 2865 section 3, RFC 2866 section 3), and HMAC-MD5 in
/// Message-Authenticator (RFC 3579 section 3.2). In a request both are made with zeros in the place
/// of the Request Authenticator.
public final class SharedSecret {
  private static final int MESSAGE_AUTHENTICATOR = 80;
  private static final byte[] ZEROS = new byte[RadiusPacket.AUTHENTICATOR_OCTETS];

  private final byte[] secret;

  /// @throws IllegalArgumentException if the text is empty, which RFC 2865 forbids
  public SharedSecret(String text) {
    if (text.isEmpty()) {
      throw new IllegalArgumentException("a shared secret must not be empty");
    }
    secret = text.getBytes(StandardCharsets.UTF_8);
  }

  /// Returns the octets of a request with its authenticators. An attribute Message-Authenticator of
  /// the packet is filled.
  public byte[] signRequest(RadiusPacket request) {
    byte[] octets = request.encode();
    fillMessageAuthenticator(octets);
    put(octets, md5(octets));
    return octets;
  }

  /// Returns the octets of a response with its authenticators.
  ///
  /// @param request octets of the request
  public byte[] signResponse(RadiusPacket response, byte[] request) {
    byte[] octets = response.encode();
    put(octets, authenticator(request));
    fillMessageAuthenticator(octets);
    put(octets, md5(octets));
    return octets;
  }

  /// Checks the authenticators of an accounting request.
  ///
  /// @param request octets that the reader has accepted
  public Optional<Refusal> flawOfRequest(byte[] request) {
    byte[] copy = request.clone();
    put(copy, ZEROS);
    return flaw(request, copy);
  }

  /// Checks the authenticators of a response.
  ///
  /// @param response octets that the reader has accepted
  /// @param request octets of the request
  public Optional<Refusal> flawOfResponse(byte[] response, byte[] request) {
    byte[] copy = response.clone();
    put(copy, authenticator(request));
    return flaw(response, copy);
  }

  /// @param copy octets with those in the place of the authenticator that it was made with
  private Optional<Refusal> flaw(byte[] octets, byte[] copy) {
    if (!MessageDigest.isEqual(authenticator(octets), md5(copy))) {
      return Optional.of(Refusal.BAD_AUTHENTICATOR);
    }
    int at = messageAuthenticator(copy, RadiusPacket.HEADER);
    if (at < 0) {
      return Optional.empty();
    }
    if (!isWhole(copy, at) || messageAuthenticator(copy, at + copy[at - 1] - 2) >= 0) {
      return Optional.of(Refusal.BAD_MESSAGE_AUTHENTICATOR);
    }
    byte[] given = Arrays.copyOfRange(copy, at, at + ZEROS.length);
    System.arraycopy(ZEROS, 0, copy, at, ZEROS.length);
    if (MessageDigest.isEqual(given, hmac(copy))) {
      return Optional.empty();
    }
    // FreeRADIUS makes that of a response with zeros, too.
    put(copy, ZEROS);
    return MessageDigest.isEqual(given, hmac(copy))
        ? Optional.empty()
        : Optional.of(Refusal.BAD_MESSAGE_AUTHENTICATOR);
  }

  private void fillMessageAuthenticator(byte[] octets) {
    int at = messageAuthenticator(octets, RadiusPacket.HEADER);
    if (at >= 0) {
      System.arraycopy(ZEROS, 0, octets, at, ZEROS.length);
      System.arraycopy(hmac(octets), 0, octets, at, ZEROS.length);
    }
  }

  private static boolean isWhole(byte[] octets, int dataAt) {
    return octets[dataAt - 1] == 2 + ZEROS.length;
  }

  /// Returns where the data of the next Message-Authenticator begins, or -1 if there is none.
  ///
  /// @param from where an attribute begins
  private static int messageAuthenticator(byte[] octets, int from) {
    for (int at = from; at < octets.length; at += Byte.toUnsignedInt(octets[at + 1])) {
      if (octets[at] == MESSAGE_AUTHENTICATOR) {
        return at + 2;
      }
    }
    return -1;
  }

  private static byte[] authenticator(byte[] octets) {
    return Arrays.copyOfRange(octets, RadiusPacket.AUTHENTICATOR_AT, RadiusPacket.HEADER);
  }

  private static void put(byte[] octets, byte[] authenticator) {
    System.arraycopy(
        authenticator, 0, octets, RadiusPacket.AUTHENTICATOR_AT, RadiusPacket.AUTHENTICATOR_OCTETS);
  }

  private byte[] md5(byte[] octets) {
    try {
      MessageDigest digest = MessageDigest.getInstance("MD5");
      digest.update(octets);
      return digest.digest(secret);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("this Java has no MD5, which RADIUS needs", e);
    }
  }

  private byte[] hmac(byte[] octets) {
    try {
      Mac mac = Mac.getInstance("HmacMD5");
      mac.init(new SecretKeySpec(secret, "HmacMD5"));
      return mac.doFinal(octets);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("this Java has no HMAC-MD5, which RADIUS needs", e);
    }
  }

  @Override
  public String toString() {
    return "(shared secret)";
  }
}

package io.viaduct.sip.aka;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Base64;
import java.util.OptionalLong;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/// The secrets of a subscriber's card: K, OPc and the authentication management field. They never
/// appear in logs or in [#toString].
///
/// @param k 16 octets
/// @param opc 16 octets, derived from the operator's OP for this K
/// @param amf 2 octets; 0 in an ordinary IMS (3GPP TS 33.102 Annex H)
public record AkaKeys(byte[] k, byte[] opc, byte[] amf) {
  /// Octets of K, OP, OPc and RAND.
  public static final int KEY_BYTES = Milenage.BLOCK;

  public static final int AMF_BYTES = 2;

  /// Octets of AUTS: the hidden sequence number and MAC-S.
  public static final int AUTS_BYTES = Milenage.SEQUENCE + Milenage.MAC;

  // MAC-S covers an AMF of zeros (3GPP TS 33.102 section 6.3.3).
  private static final byte[] RESYNCHRONISATION_AMF = new byte[AMF_BYTES];
  private static final String AKAV2_LABEL = "http-digest-akav2-password";

  public AkaKeys {
    require(k, KEY_BYTES, "k");
    require(opc, KEY_BYTES, "opc");
    require(amf, AMF_BYTES, "amf");
  }

  private static void require(byte[] value, int length, String name) {
    if (value.length != length) {
      throw new IllegalArgumentException(name + " must have " + length + " octets");
    }
  }

  /// Returns the keys of a card whose operator gives OP instead of OPc.
  public static AkaKeys ofOp(byte[] k, byte[] op, byte[] amf) {
    require(k, KEY_BYTES, "k");
    require(op, KEY_BYTES, "op");
    return new AkaKeys(k, Milenage.opc(k, op), amf);
  }

  private Milenage functions() {
    return new Milenage(k, opc);
  }

  /// Returns AUTN, 16 octets: the hidden sequence number, AMF and MAC-A.
  ///
  /// @param sequence 48 bits
  public byte[] autn(byte[] rand, long sequence) {
    Milenage functions = functions();
    byte[] number = octets(sequence);
    return ByteBuffer.allocate(KEY_BYTES)
        .put(Milenage.xor(number, functions.f5(rand)))
        .put(amf)
        .put(functions.f1(rand, number, amf))
        .array();
  }

  /// Returns the digest password of AKAv1: the octets of RES (RFC 3310 section 3.3).
  public byte[] passwordOfVersion1(byte[] rand) {
    return functions().f2(rand);
  }

  /// Returns the digest password of AKAv2: a hash of RES, IK and CK in base64 (RFC 4169 section 3).
  public byte[] passwordOfVersion2(byte[] rand) {
    Milenage functions = functions();
    byte[] secret =
        ByteBuffer.allocate(Milenage.MAC + 2 * KEY_BYTES)
            .put(functions.f2(rand))
            .put(functions.f4(rand))
            .put(functions.f3(rand))
            .array();
    try {
      Mac mac = Mac.getInstance("HmacMD5");
      mac.init(new SecretKeySpec(secret, "HmacMD5"));
      return Base64.getEncoder()
          .encode(mac.doFinal(AKAV2_LABEL.getBytes(StandardCharsets.US_ASCII)));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java has HmacMD5", e);
    }
  }

  /// Reads the sequence number of a card from its AUTS (3GPP TS 33.102 section 6.3.5).
  ///
  /// @param rand RAND of the challenge that the card refused
  /// @return 48 bits; empty if the card's proof is wrong
  public OptionalLong sequenceOf(byte[] rand, byte[] auts) {
    if (auts.length != AUTS_BYTES) {
      return OptionalLong.empty();
    }
    Milenage functions = functions();
    byte[] number = Milenage.xor(Arrays.copyOf(auts, Milenage.SEQUENCE), functions.f5Star(rand));
    byte[] proof = Arrays.copyOfRange(auts, Milenage.SEQUENCE, AUTS_BYTES);
    return MessageDigest.isEqual(functions.f1Star(rand, number, RESYNCHRONISATION_AMF), proof)
        ? OptionalLong.of(number(number))
        : OptionalLong.empty();
  }

  private static byte[] octets(long sequence) {
    return Arrays.copyOfRange(
        ByteBuffer.allocate(Long.BYTES).putLong(sequence).array(),
        Long.BYTES - Milenage.SEQUENCE,
        Long.BYTES);
  }

  private static long number(byte[] octets) {
    return ByteBuffer.allocate(Long.BYTES).putShort((short) 0).put(octets).getLong(0);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof AkaKeys(byte[] otherK, byte[] otherOpc, byte[] otherAmf)
        && MessageDigest.isEqual(k, otherK)
        && MessageDigest.isEqual(opc, otherOpc)
        && Arrays.equals(amf, otherAmf);
  }

  @Override
  public int hashCode() {
    return 31 * Arrays.hashCode(k) + Arrays.hashCode(opc);
  }

  @Override
  public String toString() {
    return "AkaKeys[(secret)]";
  }
}

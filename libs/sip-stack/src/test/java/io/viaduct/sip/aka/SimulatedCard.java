package io.viaduct.sip.aka;

import java.nio.ByteBuffer;
import java.util.Arrays;

/// A subscriber's card: it checks a challenge as 3GPP TS 33.102 section 6.3.3 says, with the array
/// of sequence numbers of annex C.2.
public final class SimulatedCard {
  private static final long LEAP_MAX = 1L << 28;

  private final AkaKeys keys;
  private final long[] seen = new long[32];

  /// The answer to a challenge: one of both is empty.
  ///
  /// @param password for the digest; empty if the card refuses the sequence number
  /// @param auts 14 octets if it does
  public record Answer(byte[] password, byte[] auts) {}

  /// @param sequence highest SEQ that the card has seen
  public SimulatedCard(AkaKeys keys, long sequence) {
    this.keys = keys;
    Arrays.fill(seen, sequence);
  }

  /// Returns the highest SEQ that the card has accepted.
  public long highest() {
    return Arrays.stream(seen).max().orElseThrow();
  }

  /// @throws IllegalStateException if the challenge does not come from the card's network
  public Answer answer(byte[] nonce, boolean isVersion2) {
    byte[] rand = Arrays.copyOf(nonce, 16);
    byte[] autn = Arrays.copyOfRange(nonce, 16, 32);
    Milenage functions = new Milenage(keys.k(), keys.opc());
    byte[] number = Milenage.xor(Arrays.copyOf(autn, 6), functions.f5(rand));
    byte[] amf = Arrays.copyOfRange(autn, 6, 8);
    if (!Arrays.equals(functions.f1(rand, number, amf), Arrays.copyOfRange(autn, 8, 16))) {
      throw new IllegalStateException("MAC-A is wrong: another network");
    }
    long sequence = ByteBuffer.allocate(8).putShort((short) 0).put(number).getLong(0);
    long seq = sequence >>> 5;
    int ind = (int) (sequence & 31);
    if (seq <= seen[ind] || seq - highest() > LEAP_MAX) {
      return new Answer(new byte[0], auts(functions, rand));
    }
    seen[ind] = seq;
    return new Answer(
        isVersion2 ? keys.passwordOfVersion2(rand) : keys.passwordOfVersion1(rand), new byte[0]);
  }

  private byte[] auts(Milenage functions, byte[] rand) {
    byte[] number =
        Arrays.copyOfRange(ByteBuffer.allocate(8).putLong(highest() << 5).array(), 2, 8);
    return ByteBuffer.allocate(14)
        .put(Milenage.xor(number, functions.f5Star(rand)))
        .put(functions.f1Star(rand, number, new byte[2]))
        .array();
  }
}

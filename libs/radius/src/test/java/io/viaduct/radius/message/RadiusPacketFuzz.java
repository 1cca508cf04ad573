package io.viaduct.radius.message;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.viaduct.fuzzing.Corpus;
import io.viaduct.radius.accounting.AccountingRecord;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.params.provider.ArgumentsSource;

/// The octets of one datagram. Rules: the reader, the check of authenticators and the reading of a
/// record never throw; an accepted packet is written as it was, but for its authenticator; a packet
/// that is signed is believed.
final class RadiusPacketFuzz {
  private static final Instant NOW = Instant.parse("2026-11-27T10:00:00Z");

  @ArgumentsSource(Corpus.class)
  @FuzzTest
  void holds(byte[] input) {
    if (!(Packets.READER.read(input)
        instanceof Verdict.Accepted(RadiusPacket packet, byte[] octets))) {
      return;
    }
    var unused = Packets.SECRET.flawOfRequest(octets);
    unused = Packets.SECRET.flawOfResponse(octets, octets);
    AccountingRecord.of(packet, Packets.DICTIONARY, NOW)
        .ifPresent(record -> require(record.octetsUp() >= 0 && record.octetsDown() >= 0));
    byte[] written = packet.encode();
    System.arraycopy(octets, 4, written, 4, 16);
    require(Arrays.equals(written, octets));
    if (packet.first("Message-Authenticator").isEmpty()) {
      require(
          Packets.SECRET.flawOfRequest(Packets.SECRET.signRequest(packet)).isEmpty()
              && Packets.SECRET
                  .flawOfResponse(Packets.SECRET.signResponse(packet, octets), octets)
                  .isEmpty());
    }
  }

  private static void require(boolean holds) {
    if (!holds) {
      throw new AssertionError();
    }
  }

  static List<byte[]> seeds() {
    byte[] interim = Packets.SECRET.signRequest(Packets.interim());
    return List.of(
        interim,
        Packets.SECRET.signRequest(Packets.record("Start", "a")),
        Packets.SECRET.signResponse(
            new RadiusPacket(RadiusPacket.ACCOUNTING_RESPONSE, 7, List.of()), interim));
  }
}

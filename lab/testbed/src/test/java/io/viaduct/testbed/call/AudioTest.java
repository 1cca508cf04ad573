package io.viaduct.testbed.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.viaduct.testbed.call.Audio.Packet;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class AudioTest {
  private static final int DELAY_MS = 10;
  private static final String ALICE = "100.96.0.2";
  private static final String BOB = "100.96.0.3";

  /// Packets that leave every 20 ms and travel for [#DELAY_MS].
  private static Stream<Packet> steady(int first, int count) {
    return IntStream.range(first, first + count).mapToObj(i -> packet(i, i * 20, DELAY_MS));
  }

  private static Packet packet(int sequence, int sentMs, int delayMs) {
    return new Packet(sequence, sentMs * 1_000_000L, (sentMs + delayMs) * 1_000_000L, true);
  }

  private static Audio audio(Stream<Packet> packets, int untilMs) {
    return new Audio(null, packets.toList(), untilMs * 1_000_000L);
  }

  @Test
  void steadyAudioHasNoGapAndTheQualityOfItsDelay() {
    Audio steady = audio(steady(0, 100), 2000);
    assertThat(steady.gapMs()).isZero();
    assertThat(steady.delayMs()).isEqualTo(DELAY_MS);
    assertThat(steady.unheardPercent()).isZero();
    assertThat(steady.quality()).isEqualTo(EModel.of(20 + DELAY_MS + 60, 0));
  }

  @Test
  void lostPacketsAreAGapOfTheirTime() {
    Audio holed = audio(Stream.concat(steady(0, 10), steady(13, 10)), 470);
    assertThat(holed.gapMs()).isEqualTo(60);
    assertThat(holed.lost()).isEqualTo(3);
    assertThat(holed.unheardPercent()).isCloseTo(100 * 3 / 23.0, within(1e-9));
  }

  @Test
  void packetsThatComeLaterThanThePlayoutBufferAreNotHeard() {
    Stream<Packet> late = Stream.of(packet(10, 200, 75), packet(11, 220, 69));
    Audio held = audio(Stream.concat(steady(0, 10), late), 300);
    assertThat(held.lost()).isZero();
    assertThat(held.late()).isEqualTo(1);
    assertThat(held.gapMs()).isEqualTo(65);
  }

  @Test
  void aPauseOfTheSenderIsNoGap() {
    Stream<Packet> afterwards =
        IntStream.range(10, 20).mapToObj(i -> packet(i, i * 20 + 100, DELAY_MS));
    assertThat(audio(Stream.concat(steady(0, 10), afterwards), 510).gapMs()).isZero();
  }

  @Test
  void silenceSinceTheLastPacketAndBeforeTheFirstIsAGap() {
    assertThat(audio(steady(0, 10), 1000).gapMs()).isEqualTo(1000 - 190 - 20);
    Audio later = new Audio(packet(0, 0, DELAY_MS), steady(5, 10).toList(), 300_000_000);
    assertThat(later.gapMs()).isEqualTo(80);
  }

  @Test
  void aWayJoinsDeparturesAndArrivalsOverTheWrapOfItsNumbers() {
    var now = new AtomicLong(-5);
    var way = new AudioWay(ALICE, BOB, now::get);
    for (int i = 0; i < 4; i++) {
      assertThat(way.departs(rtp(ALICE, "203.0.113.22", 65_534 + i, i == 3))).isTrue();
      now.addAndGet(7);
      assertThat(way.arrives(rtp("203.0.113.21", BOB, 65_534 + i, i == 3))).isTrue();
      way.arrives(rtp("203.0.113.21", BOB, 65_534 + i, i == 3)); // a copy
      now.addAndGet(3);
    }
    assertThat(way.arrives(rtp(BOB, "203.0.113.21", 1, true))).as("the other way").isFalse();
    Audio audio = way.between(3, 36);
    assertThat(audio.before()).isEqualTo(new Packet(0, -5, 2, false));
    assertThat(audio.packets())
        .isEqualTo(
            List.of(
                new Packet(1, 5, 12, false),
                new Packet(2, 15, 22, false),
                new Packet(3, 25, 32, true)));
    assertThat(audio.audible()).isEqualTo(1);
  }

  @Test
  void onlyRtpOfPcmuIsAudio() {
    var way = new AudioWay(ALICE, BOB, () -> 0);
    byte[] packet = rtp(ALICE, "203.0.113.22", 1, true);
    packet[29] = (byte) 200; // an RTCP sender report
    assertThat(way.departs(packet)).isFalse();
    assertThat(way.departs(new byte[20])).isFalse();
    assertThat(way.departs(new byte[0])).isFalse();
  }

  private static byte[] rtp(String from, String to, int sequence, boolean hasSound) {
    ByteBuffer packet = ByteBuffer.allocate(20 + 8 + 12 + 160);
    packet.put((byte) 0x45).put(9, (byte) 17);
    packet.put(12, java.net.InetAddress.ofLiteral(from).getAddress());
    packet.put(16, java.net.InetAddress.ofLiteral(to).getAddress());
    packet.put(28, (byte) 0x80).putShort(30, (short) sequence);
    for (int at = 40; at < packet.capacity(); at++) {
      packet.put(at, hasSound ? (byte) 0x12 : (byte) 0xff);
    }
    return packet.array();
  }
}

package io.viaduct.snapt.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.viaduct.snapt.ConnectedDevice;
import io.viaduct.snapt.PacketText;
import io.viaduct.snapt.TestOperator;
import io.viaduct.snapt.TestSnapt;
import io.viaduct.tunnel.wire.Verdict;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Sends garbage beside a live session: 100,000 datagrams per second, or as many as the machine can
/// send.
class GarbageTest {
  private static final int PER_SECOND = 100_000;
  private static final int PER_BURST = 100;
  private static final Duration LASTS = Duration.ofSeconds(3);

  // An idle machine loses nothing. With three times as many threads as cores, the kernel's receive
  // buffer overflowed while the loop waited for a core, and 20 % were lost.
  private static final int LOST_PERCENT_MAX = 50;

  @TempDir Path folder;
  private final Random random = new Random(42);
  private final AtomicLong struck = new AtomicLong();

  @Test
  void garbageIsCountedAndTheSessionBesideItGoesOn() throws Exception {
    TestOperator operator = new TestOperator(folder.resolve("pki"));
    try (TestSnapt snapt = new TestSnapt(operator, folder, 2, Duration.ofSeconds(30));
        ConnectedDevice device = new ConnectedDevice(snapt, operator, "alice")) {
      SessionStatus before = snapt.onlySession();
      int index = before.receiverIndex();
      AtomicBoolean goesOn = new AtomicBoolean(true);
      long beganNs = System.nanoTime();
      Thread attacker = Thread.ofPlatform().start(() -> strike(snapt, index, goesOn));
      int sent = 0;
      while (System.nanoTime() - beganNs < LASTS.toNanos()) {
        device.tunnel.send(PacketText.up());
        sent++;
        LockSupport.parkNanos(5_000_000);
      }
      goesOn.set(false);
      attacker.join();
      double perSecond = struck.get() * 1e9 / (System.nanoTime() - beganNs);
      System.out.printf(
          "%,d datagrams of garbage, %,.0f/s; %d packets of the session, %d came through%n",
          struck.get(), perSecond, sent, snapt.out.size());
      int least = sent - sent * LOST_PERCENT_MAX / 100;
      await().untilAsserted(() -> assertThat(snapt.out.size()).isGreaterThanOrEqualTo(least));
      assertThat(perSecond).as("the machine is too slow for this test").isGreaterThan(5_000);
      await()
          .untilAsserted(() ->
              assertThat(Refusals.datagrams(snapt.relay.counters()))
                  .as("refused, of %d; the kernel drops what a full buffer does not take", struck)
                  .isBetween(struck.get() / 2, struck.get()));
      for (Verdict reason :
          new Verdict[] {Verdict.TOO_SHORT, Verdict.UNKNOWN_RECEIVER, Verdict.BAD_TAG}) {
        assertThat(snapt.count(reason)).as("%s", reason).isPositive();
      }
      SessionStatus after = snapt.onlySession();
      assertThat(after.binding()).isEqualTo(before.binding());
      assertThat(after.moves()).isEqualTo(before.moves());
      snapt.out.clear();
      for (int i = 0; i < 100; i++) {
        device.tunnel.send(PacketText.up());
        assertThat(snapt.nextOut()).as("afterwards nothing is lost").isNotNull();
      }
    }
  }

  private void strike(TestSnapt snapt, int receiverIndex, AtomicBoolean goesOn) {
    ByteBuffer datagram = ByteBuffer.allocateDirect(1_200);
    byte[] noise = new byte[datagram.capacity()];
    random.nextBytes(noise);
    try (DatagramChannel channel = DatagramChannel.open()) {
      channel.connect(snapt.dataAddress);
      long beganNs = System.nanoTime();
      while (goesOn.get()) {
        for (int i = 0; i < PER_BURST; i++) {
          channel.write(garbage(datagram, noise, receiverIndex));
        }
        long sent = struck.addAndGet(PER_BURST);
        long aheadNs = sent * 1_000_000_000L / PER_SECOND - (System.nanoTime() - beganNs);
        if (aheadNs > 0) {
          LockSupport.parkNanos(aheadNs);
        }
      }
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  /// Returns noise of random length: a third has an unknown receiver, a third the session's
  /// receiver, and a third is too short.
  private ByteBuffer garbage(ByteBuffer datagram, byte[] noise, int receiverIndex) {
    int kind = random.nextInt(3);
    int length = kind == 0 ? random.nextInt(8) : 40 + random.nextInt(noise.length - 40);
    datagram.clear().put(noise, 0, length).putInt(0, random.nextInt());
    datagram.putLong(4, random.nextLong());
    if (kind == 1) {
      datagram.putInt(0, 0x4000_0000 | receiverIndex); // version 1, DATA
    }
    return datagram.flip();
  }
}

package io.viaduct.tunnel.dictionary;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.tunnel.wire.Arrival;
import io.viaduct.tunnel.wire.ServiceClass;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/// A context whose blocks enter its history for some time, and no longer then, as those of a fast
/// download do: their datagrams are soon more than 16384 behind.
class ReceiveHistoryTest {
  private static final int CONTEXT = 7;
  private static final int BLOCK = 1_024;
  private static final long TICK_NS = 150_000_000; // above the spacing of epochs

  private final List<byte[]> announced = new ArrayList<>();
  private final HistoryControls controls =
      new HistoryControls() {
        @Override
        public boolean epoch(EpochAnnouncement announcement, long nowNs) {
          byte[] bytes = new byte[EpochAnnouncement.BYTES_MAX];
          byte[] whole = new byte[announcement.write(bytes, 0)];
          System.arraycopy(bytes, 0, whole, 0, whole.length);
          announced.add(whole);
          return true;
        }

        @Override
        public void epochUnknown(int context, int epoch, long nowNs) {}
      };

  private final HistoryMemory memory =
      new HistoryMemory(BackgroundWork.INLINE, () -> 0, HistoryMemory.BUDGET_BYTES);

  private final ReceiveHistory history = new ReceiveHistory(memory, 1 << 14, controls);
  private final Arrival arrival = new Arrival();
  private final byte[] text = new byte[BLOCK];
  private long nowNs;

  private void datagram(long sequence, int context, int epoch, boolean enters) {
    arrival.set(ServiceClass.HT_HD, sequence, true, 0, "", nowNs);
    history.begin();
    if (context != 0) {
      history.block(arrival, context, epoch, enters, text, 0, BLOCK);
    }
    history.end(arrival);
  }

  private void everyAnnouncementIsReadable() {
    for (byte[] each : announced) {
      assertThat(new EpochAnnouncement().read(each, 0, each.length))
          .as("announcement of %d bytes", each.length)
          .isEqualTo(each.length);
    }
  }

  @Test
  void noEpochIsMadeOfDatagramsThatAreForgotten() {
    new SplittableRandom(3).nextBytes(text);
    long sequence = 0;
    datagram(sequence++, CONTEXT, 0, true);
    datagram(sequence++, CONTEXT, 0, true);
    assertThat(announced).hasSize(1);
    for (int i = 0; i < 8; i++) {
      datagram(sequence++, CONTEXT, 1, true); // too soon for another epoch
    }
    assertThat(announced).hasSize(1);
    for (int i = 0; i < ProcessedSequences.SIZE; i++) {
      datagram(sequence++, 0, 0, false);
    }
    nowNs += TICK_NS;
    datagram(sequence++, CONTEXT, 1, false);
    everyAnnouncementIsReadable();
    assertThat(announced).as("nothing that the sender could rebuild").hasSize(1);
    nowNs += TICK_NS;
    for (int i = 0; i < 8; i++) {
      datagram(sequence++, CONTEXT, 1, true);
    }
    assertThat(announced).as("what has entered since").hasSize(2);
    everyAnnouncementIsReadable();
    history.close();
  }
}

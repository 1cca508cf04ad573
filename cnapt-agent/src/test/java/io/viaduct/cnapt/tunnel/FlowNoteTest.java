package io.viaduct.cnapt.tunnel;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.viaduct.cnapt.classification.Application;
import io.viaduct.tunnel.wire.ServiceClass;
import org.junit.jupiter.api.Test;

class FlowNoteTest {
  private final FlowNote note = new FlowNote(new Application(0, "ssh", ServiceClass.LT_LD));

  private void segment(int sequence, int payload) {
    ByteBuf tcp = Unpooled.buffer(20 + payload).writeZero(20 + payload);
    tcp.setInt(4, sequence);
    tcp.setByte(12, 5 << 4);
    note.sees(tcp, 0, 20 + payload);
  }

  @Test
  void bytesThatWereSentBeforeAreARetransmission() {
    segment(1000, 100);
    segment(1100, 100);
    assertThat(note.retransmissions).isZero();
    segment(1000, 100);
    segment(1150, 100);
    assertThat(note.retransmissions).isEqualTo(2);
    segment(1250, 10);
    assertThat(note.retransmissions).isEqualTo(2);
  }

  @Test
  void acknowledgementsWithoutPayloadAreNone() {
    segment(1000, 100);
    segment(1000, 0);
    assertThat(note.retransmissions).isZero();
  }

  @Test
  void aSequenceThatWrapsIsNoRetransmission() {
    segment(-50, 100);
    segment(50, 100);
    assertThat(note.retransmissions).isZero();
    segment(-50, 10);
    assertThat(note.retransmissions).isEqualTo(1);
  }

  @Test
  void aTruncatedHeaderIsLookedAtNotReadBeyond() {
    note.sees(Unpooled.buffer(12).writeZero(12), 0, 12);
    assertThat(note.retransmissions).isZero();
  }
}

package io.viaduct.cnapt.tunnel;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.viaduct.cnapt.classification.Application;
import io.viaduct.tunnel.wire.IpPacket;
import io.viaduct.tunnel.wire.ServiceClass;
import org.junit.jupiter.api.Test;

class FlowNoteTest {
  private final FlowNote note = new FlowNote(new Application(0, "ssh", ServiceClass.LT_LD));

  private void segment(int sequence, int payload) {
    ByteBuf packet = Unpooled.buffer(40 + payload).writeZero(40 + payload);
    packet.setByte(0, 0x45).setByte(9, 6);
    packet.setInt(20 + 4, sequence);
    packet.setByte(20 + 12, 5 << 4);
    note.sees(new IpPacket().set(packet, 0, 40 + payload));
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
    ByteBuf packet = Unpooled.buffer(32).writeZero(32).setByte(0, 0x45).setByte(9, 6);
    note.sees(new IpPacket().set(packet, 0, 32));
    assertThat(note.retransmissions).isZero();
  }
}

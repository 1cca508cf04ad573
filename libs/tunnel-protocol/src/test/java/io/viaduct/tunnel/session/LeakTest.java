package io.viaduct.tunnel.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.viaduct.tunnel.key.Ciphers;
import io.viaduct.tunnel.wire.ServiceClass;
import org.junit.jupiter.api.Test;

class LeakTest {
  @Test
  void everyBufferIsGivenBack() {
    UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true);
    SpeedCheck check = new SpeedCheck(ServiceClass.HT_HD, Ciphers::fastest, allocator);
    byte[] packet = SpeedCheck.superpacket(40_000, true);
    ByteBuf buffer = SpeedCheck.buffer(packet);
    for (int i = 0; i < 50; i++) {
      check.batch(buffer, packet.length, 1300, 2);
    }
    buffer.release();
    assertThat(check.restoredPackets).isPositive();
    check.close();
    assertThat(allocator.metric().usedDirectMemory()).isZero();
    assertThat(allocator.metric().usedHeapMemory()).isZero();
  }
}

package io.viaduct.host.tun;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import org.junit.jupiter.api.Test;

class VirtioNetHeaderTest {
  private final ByteBuf buffer = Unpooled.buffer(16).writerIndex(16);

  @Test
  void theLayoutIsThatOfTheKernel() {
    new VirtioNetHeader()
        .wrap(buffer, 2)
        .flags(VirtioNetHeader.NEEDS_CHECKSUM)
        .gsoType(VirtioNetHeader.GSO_TCPV4 | VirtioNetHeader.GSO_ECN)
        .headerLength(0x0102)
        .gsoSize(0x0304)
        .checksumStart(0x0506)
        .checksumOffset(0x0708);
    assertThat(ByteBufUtil.hexDump(buffer))
        .isEqualTo("0000" + "01" + "81" + "0201" + "0403" + "0605" + "0807" + "0000" + "0000");
    assertThat(VirtioNetHeader.LENGTH).isEqualTo(12);
  }

  @Test
  void writtenFieldsAreReadBack() {
    VirtioNetHeader header =
        new VirtioNetHeader()
            .wrap(buffer, 4)
            .flags(VirtioNetHeader.CHECKSUM_VALID)
            .gsoType(VirtioNetHeader.GSO_UDP_L4)
            .headerLength(40_000)
            .gsoSize(65_535)
            .checksumStart(20)
            .checksumOffset(16);
    assertThat(header.flags()).isEqualTo(VirtioNetHeader.CHECKSUM_VALID);
    assertThat(header.needsChecksum()).isFalse();
    assertThat(header.gsoType()).isEqualTo(VirtioNetHeader.GSO_UDP_L4);
    assertThat(header.isGsoEcn()).isFalse();
    assertThat(header.headerLength()).isEqualTo(40_000);
    assertThat(header.gsoSize()).isEqualTo(65_535);
    assertThat(header.checksumStart()).isEqualTo(20);
    assertThat(header.checksumOffset()).isEqualTo(16);
  }

  @Test
  void aClearedHeaderAnnouncesAWholePacket() {
    buffer.setZero(0, 16).setLong(3, -1).setInt(11, -1);
    new VirtioNetHeader().wrap(buffer, 3).clear();
    assertThat(ByteBufUtil.hexDump(buffer)).isEqualTo("00".repeat(16));
  }
}

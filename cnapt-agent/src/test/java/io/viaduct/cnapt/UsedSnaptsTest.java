package io.viaduct.cnapt;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.netty.channel.DefaultEventLoop;
import io.viaduct.cnapt.receipts.ReceiptLedger;
import io.viaduct.cnapt.receipts.ReceiptSettings;
import io.viaduct.tunnel.terms.TunnelLimits;
import io.viaduct.tunnel.terms.TunnelSettings;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class UsedSnaptsTest {
  @TempDir Path folder;

  private final DefaultEventLoop loop = new DefaultEventLoop();
  private ReceiptLedger receipts;

  @BeforeEach
  void open() throws Exception {
    receipts =
        ReceiptLedger.open(
            folder.resolve("state"),
            new ReceiptSettings(5, 1_000, 45),
            _ -> ByteString.copyFrom(new byte[64]),
            InstantSource.system());
  }

  @AfterEach
  void close() {
    receipts.close();
    loop.shutdownGracefully();
  }

  private SnaptLine line(int number) {
    SnaptLine.Owner nobody =
        (SnaptLine.Owner)
            Proxy.newProxyInstance(
                SnaptLine.class.getClassLoader(),
                new Class<?>[] {SnaptLine.Owner.class},
                (_, _, _) -> null);
    return new SnaptLine(
        number,
        loop,
        new TunnelLimits(1500, 65_536),
        TunnelSettings.defaults(),
        receipts,
        InstantSource.system(),
        nobody);
  }

  @Test
  void theMtuSuitsTheSmallestSessionWhicheverWasWelcomedLast() {
    SnaptLine first = line(0);
    SnaptLine second = line(1);
    UsedSnapts snapts = new UsedSnapts(List.of(first, second, line(2)));
    assertThat(snapts.tunMtu()).isZero();
    first.state().tunMtu(1_350);
    second.state().tunMtu(1_420);
    assertThat(snapts.tunMtu()).isEqualTo(1_350);
  }
}

package io.viaduct.usage;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.viaduct.usage.v1.MovedFlow;
import io.viaduct.usage.v1.MovedLink;
import io.viaduct.usage.v1.OutcomeRequest;
import io.viaduct.usage.v1.ServiceClass;
import io.viaduct.usage.v1.SessionAddress;
import io.viaduct.usage.v1.TakeOverRequest;
import java.io.IOException;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

/// Compares the bytes of a hand-over in docs/protocol.md with those that the code writes.
class GoldenTakeOverTest {
  @Test
  void thePageShowsTheRequestsThatTheCodeWrites() throws IOException {
    TakeOverRequest request =
        TakeOverRequest.newBuilder()
            .setGroup("core")
            .setNumber(9)
            .setAddress(
                SessionAddress.newBuilder()
                    .setIpv4(ByteString.fromHex("0ac90005"))
                    .setIpv6(ByteString.fromHex("fd510000000000000000000000000005")))
            .setInnerIpv4(ByteString.fromHex("0a400002"))
            .addFlows(
                MovedFlow.newBuilder()
                    .setProtocol(6)
                    .setRemote(ByteString.fromHex("cb007107"))
                    .setDevicePort(50_000)
                    .setRemotePort(443)
                    .setServiceClass(ServiceClass.HT_HD)
                    .setApplication("web"))
            .addLinks(
                MovedLink.newBuilder()
                    .setLink("wlan0")
                    .setBitPerSecond(8_000_000)
                    .setCapacityBitPerSecond(10_000_000))
            .build();
    assertThat(GoldenPage.messages())
        .containsEntry("take-over", HexFormat.of().formatHex(request.toByteArray()));
    OutcomeRequest outcome =
        OutcomeRequest.newBuilder()
            .setGroup("core")
            .setNumber(9)
            .setAddress(request.getAddress())
            .build();
    assertThat(GoldenPage.messages())
        .containsEntry("outcome", HexFormat.of().formatHex(outcome.toByteArray()));
  }
}

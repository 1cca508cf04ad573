package io.viaduct.snapt.group;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.viaduct.usage.v1.MovedFlow;
import io.viaduct.usage.v1.ServiceClass;
import io.viaduct.usage.v1.TakeOverRequest;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class TakeOverMessageTest {
  private static MovedFlow.Builder flow() {
    return MovedFlow.newBuilder()
        .setProtocol(6)
        .setRemote(ByteString.copyFrom(new byte[] {(byte) 203, 0, 113, 7}))
        .setDevicePort(50_000)
        .setRemotePort(443)
        .setServiceClass(ServiceClass.LT_LD)
        .setApplication("web");
  }

  @Test
  void aFlowThatBreaksARuleIsLeftOutAndTheOthersStay() {
    TakeOverRequest request =
        TakeOverRequest.newBuilder()
            .setInnerIpv4(ByteString.copyFrom(new byte[] {10, 64, 0, 2}))
            .addFlows(flow())
            .addFlows(flow().setServiceClassValue(0))
            .addFlows(flow().setProtocol(256))
            .addFlows(flow().setProtocol(-1)) // 2^32 - 1
            .addFlows(flow().setRemotePort(1 << 16))
            .addFlows(flow().setRemote(ByteString.copyFrom(new byte[16])))
            .addFlows(flow().setDevicePort(50_001))
            .build();
    List<String> leftOut = new ArrayList<>();
    assertThat(TakeOverMessage.flows(request, leftOut::add))
        .extracting(each -> each.tuple().devicePort())
        .containsExactly(50_000, 50_001);
    assertThat(leftOut).hasSize(5).first().asString().contains("class");
  }
}

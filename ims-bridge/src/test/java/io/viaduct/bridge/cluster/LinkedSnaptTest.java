package io.viaduct.bridge.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import io.viaduct.bridge.ClusterRig;
import io.viaduct.bridge.RunningBridge;
import io.viaduct.bridge.directory.SnaptEntry;
import io.viaduct.usage.v1.BridgeAnswer;
import io.viaduct.usage.v1.BridgeHello;
import io.viaduct.usage.v1.BridgeMessage;
import io.viaduct.usage.v1.BridgesGrpc;
import io.viaduct.usage.v1.DrainOrder;
import io.viaduct.usage.v1.SnaptStatus;
import io.viaduct.usage.v1.SnaptStatusAck;
import io.viaduct.usage.v1.SnaptsGrpc;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// SNAPTs of several bridges, and who may call a bridge as a bridge.
@Timeout(120)
class LinkedSnaptTest {
  @TempDir static Path directory;
  private static ClusterRig cluster;

  @BeforeAll
  static void start() throws Exception {
    cluster = new ClusterRig(directory, "");
  }

  @AfterAll
  static void stop() throws Exception {
    cluster.close();
  }

  private static SnaptEntry.State state(RunningBridge bridge) {
    return bridge.directory().all().stream()
        .filter(each -> each.configured().id().equals("snapt-1"))
        .map(each -> bridge.directory().state(each))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void aSnaptOfOneBridgeIsKnownAtAllAndGetsTheOrdersOfAll() throws Exception {
    ManagedChannel channel = cluster.rig.channel(cluster.rig.authority.material("snapt-1"));
    List<SnaptStatusAck> answers = new CopyOnWriteArrayList<>();
    StreamObserver<SnaptStatus> statuses =
        SnaptsGrpc.newStub(channel)
            .announce(
                new StreamObserver<>() {
                  @Override
                  public void onNext(SnaptStatusAck answer) {
                    answers.add(answer);
                  }

                  @Override
                  public void onError(Throwable cause) {}

                  @Override
                  public void onCompleted() {}
                });
    statuses.onNext(
        SnaptStatus.newBuilder()
            .setSnaptId("snapt-1")
            .setHost("192.0.2.1")
            .setControlPort(443)
            .setDataPort(443)
            .setEpoch(1)
            .build());
    for (RunningBridge bridge : cluster.bridges) {
      await().until(() -> state(bridge) == SnaptEntry.State.UP);
    }
    DrainOrder order = DrainOrder.newBuilder().setDraining(true).setBy("olivia").build();
    Cluster third = cluster.bridges.get(2).parts().getBean(Cluster.class);
    assertThat(third.order("snapt-1", order)).isTrue();
    assertThat(third.order("snapt-2", order)).isFalse();
    await().until(() -> answers.stream().anyMatch(answer -> answer.getDrain().equals(order)));

    channel.shutdownNow();
    for (RunningBridge bridge : cluster.bridges) {
      await()
          .until(() -> {
            cluster.rig.clock.advance(Duration.ofSeconds(1));
            return state(bridge) == SnaptEntry.State.STALE;
          });
    }
  }

  private Status.Code call(String certificate, String name) throws Exception {
    ManagedChannel channel = cluster.rig.channel(cluster.rig.authority.material(certificate));
    CompletableFuture<Status.Code> end = new CompletableFuture<>();
    BridgesGrpc.newStub(channel)
        .link(
            new StreamObserver<>() {
              @Override
              public void onNext(BridgeAnswer answer) {
                end.complete(Status.Code.OK);
              }

              @Override
              public void onError(Throwable cause) {
                end.complete(Status.fromThrowable(cause).getCode());
              }

              @Override
              public void onCompleted() {}
            })
        .onNext(
            BridgeMessage.newBuilder().setHello(BridgeHello.newBuilder().setName(name)).build());
    try {
      return end.get(20, TimeUnit.SECONDS);
    } finally {
      channel.shutdownNow();
    }
  }

  @Test
  void onlyABridgeThatIsConfiguredMayLink() throws Exception {
    assertThat(call("ims-bridge", "bridge-2")).isEqualTo(Status.Code.OK);
    assertThat(call("ims-bridge", "bridge-9")).isEqualTo(Status.Code.PERMISSION_DENIED);
    assertThat(call("snapt-1", "bridge-2")).isEqualTo(Status.Code.PERMISSION_DENIED);
  }
}

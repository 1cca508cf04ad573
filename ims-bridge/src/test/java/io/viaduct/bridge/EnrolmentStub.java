package io.viaduct.bridge;

import com.google.protobuf.ByteString;
import io.grpc.Server;
import io.grpc.Status;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import io.viaduct.service.tls.Ed25519;
import io.viaduct.usage.v1.EnrolledSnapt;
import io.viaduct.usage.v1.EnrolmentGrpc;
import io.viaduct.usage.v1.ImportSnaptsRequest;
import io.viaduct.usage.v1.ImportSnaptsResponse;
import io.viaduct.usage.v1.RefusedSnapt;
import io.viaduct.usage.v1.SnaptEvent;
import io.viaduct.usage.v1.WatchSnaptsRequest;
import java.net.InetSocketAddress;
import java.security.interfaces.EdECPublicKey;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/// A peer that speaks billing's side of enrolment over a real socket, without TLS.
public final class EnrolmentStub implements AutoCloseable {
  /// The ids of each import.
  public final List<List<String>> imports = new CopyOnWriteArrayList<>();

  /// The error with which imports are answered, as by a billing of an earlier version; null: none.
  public volatile @Nullable Status importFailure;

  private final Map<String, EnrolledSnapt> snapts = new TreeMap<>(); // guarded by this
  private final List<StreamObserver<SnaptEvent>> bridges = new ArrayList<>();
  private final Server server;

  public EnrolmentStub(int port) throws Exception {
    server =
        NettyServerBuilder.forAddress(new InetSocketAddress("127.0.0.1", port))
            .addService(new Service())
            .build()
            .start();
  }

  public int port() {
    return server.getPort();
  }

  /// Returns a SNAPT with a new report key.
  public static EnrolledSnapt snapt(String id, String owner) {
    byte[] key = Ed25519.raw((EdECPublicKey) Ed25519.generate().getPublic());
    return EnrolledSnapt.newBuilder()
        .setSnaptId(id)
        .setOwner(owner)
        .setRegion("north")
        .setReportKey(ByteString.copyFrom(key))
        .build();
  }

  public synchronized void put(EnrolledSnapt snapt) {
    snapts.put(snapt.getSnaptId(), snapt);
    tell(SnaptEvent.newBuilder().setSnapt(snapt).build());
  }

  public synchronized void remove(String id) {
    snapts.remove(id);
    tell(SnaptEvent.newBuilder().setRemoved(id).build());
  }

  /// Sends an event of a kind that the bridge does not know.
  public synchronized void tellUnknown() {
    tell(SnaptEvent.getDefaultInstance());
  }

  private void tell(SnaptEvent event) {
    bridges.forEach(bridge -> bridge.onNext(event));
  }

  private final class Service extends EnrolmentGrpc.EnrolmentImplBase {
    @Override
    public void watchSnapts(WatchSnaptsRequest request, StreamObserver<SnaptEvent> bridge) {
      synchronized (EnrolmentStub.this) {
        snapts
            .values()
            .forEach(each -> bridge.onNext(SnaptEvent.newBuilder().setSnapt(each).build()));
        bridge.onNext(SnaptEvent.newBuilder().setComplete(true).build());
        bridges.add(bridge);
      }
    }

    @Override
    public void importSnapts(
        ImportSnaptsRequest request, StreamObserver<ImportSnaptsResponse> answer) {
      ImportSnaptsResponse.Builder result = ImportSnaptsResponse.newBuilder();
      synchronized (EnrolmentStub.this) {
        imports.add(request.getSnaptsList().stream().map(EnrolledSnapt::getSnaptId).toList());
        Status failure = importFailure;
        if (failure != null) {
          answer.onError(failure.asRuntimeException());
          return;
        }
        for (EnrolledSnapt each : request.getSnaptsList()) {
          if (each.getRegion().length() > 64) {
            result.addRefused(
                RefusedSnapt.newBuilder().setSnaptId(each.getSnaptId()).setWhy("region is long"));
          } else {
            snapts.putIfAbsent(each.getSnaptId(), each);
          }
        }
      }
      answer.onNext(result.build());
      answer.onCompleted();
    }
  }

  @Override
  public void close() throws Exception {
    server.shutdownNow().awaitTermination();
  }
}

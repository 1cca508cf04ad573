package io.viaduct.bridge;

import com.google.protobuf.ByteString;
import io.grpc.BindableService;
import io.grpc.Server;
import io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslProvider;
import io.viaduct.service.tls.TlsMaterial;
import io.viaduct.sip.digest.DigestAlgorithm;
import io.viaduct.usage.v1.AccountDescription;
import io.viaduct.usage.v1.BindDeviceRequest;
import io.viaduct.usage.v1.BindDeviceResponse;
import io.viaduct.usage.v1.BindDeviceVerdict;
import io.viaduct.usage.v1.DescribeAccountRequest;
import io.viaduct.usage.v1.DeviceSeenRequest;
import io.viaduct.usage.v1.DeviceSeenResponse;
import io.viaduct.usage.v1.ProvisioningGrpc;
import io.viaduct.usage.v1.Subscriber;
import io.viaduct.usage.v1.SubscriberEvent;
import io.viaduct.usage.v1.WatchRequest;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/// A peer that speaks billing's side of provisioning over a real socket with mutual TLS.
public final class ProvisioningStub implements AutoCloseable {
  public static final String DOMAIN = "ims.test";
  public static final int DEVICES_MAX = 3;

  private final Map<String, Subscriber> users = new LinkedHashMap<>(); // guarded by this
  private final List<ServerCallStreamObserver<SubscriberEvent>> bridges = new ArrayList<>();
  private static final AccountDescription UNKNOWN = AccountDescription.getDefaultInstance();
  private final Server server;
  public final Map<String, AccountDescription> descriptions = new ConcurrentHashMap<>();
  public volatile boolean isSilent;
  public volatile int asked;
  public final List<String> seen = new CopyOnWriteArrayList<>();

  public ProvisioningStub(TlsMaterial tls, int port) throws Exception {
    server =
        NettyServerBuilder.forAddress(new InetSocketAddress("127.0.0.1", port))
            .sslContext(
                GrpcSslContexts.configure(tls.serverBuilder(ClientAuth.REQUIRE), SslProvider.JDK)
                    .build())
            .addService(new Service())
            .build()
            .start();
  }

  /// Returns the service, for a server that has others too.
  public BindableService service() {
    return new Service();
  }

  public int port() {
    return server.getPort();
  }

  public static Subscriber user(String name, String password) {
    return user(name, DOMAIN, password);
  }

  /// @param realm of the digest: the bridge's domain
  public static Subscriber user(String name, String realm, String password) {
    return Subscriber.newBuilder()
        .setAccount(name)
        .setHa1Sha256(bytes(DigestAlgorithm.SHA_256.ha1(name, realm, password)))
        .setHa1Md5(bytes(DigestAlgorithm.MD5.ha1(name, realm, password)))
        .build();
  }

  private static ByteString bytes(String hex) {
    return ByteString.copyFrom(HexFormat.of().parseHex(hex));
  }

  public synchronized void put(Subscriber user) {
    users.put(user.getAccount(), user);
    tell(SubscriberEvent.newBuilder().setSubscriber(user).build());
  }

  public synchronized void suspend(String name, boolean suspended) {
    put(subscriber(name).toBuilder().setSuspended(suspended).build());
  }

  public synchronized void removeDevices(String name) {
    put(subscriber(name).toBuilder().clearDeviceKeys().build());
  }

  public synchronized void remove(String name) {
    users.remove(name);
    tell(SubscriberEvent.newBuilder().setRemoved(name).build());
  }

  public synchronized Subscriber subscriber(String name) {
    return Optional.ofNullable(users.get(name)).orElseThrow();
  }

  private void tell(SubscriberEvent event) {
    bridges.removeIf(ServerCallStreamObserver::isCancelled);
    bridges.forEach(bridge -> bridge.onNext(event));
  }

  private final class Service extends ProvisioningGrpc.ProvisioningImplBase {
    @Override
    public void watch(WatchRequest request, StreamObserver<SubscriberEvent> bridge) {
      synchronized (ProvisioningStub.this) {
        users
            .values()
            .forEach(
                user -> bridge.onNext(SubscriberEvent.newBuilder().setSubscriber(user).build()));
        bridge.onNext(SubscriberEvent.newBuilder().setComplete(true).build());
        bridges.add((ServerCallStreamObserver<SubscriberEvent>) bridge);
      }
    }

    @Override
    public void deviceSeen(DeviceSeenRequest request, StreamObserver<DeviceSeenResponse> answer) {
      synchronized (ProvisioningStub.this) {
        seen.add(request.getAccount());
      }
      answer.onNext(DeviceSeenResponse.getDefaultInstance());
      answer.onCompleted();
    }

    @Override
    public void describeAccount(
        DescribeAccountRequest request, StreamObserver<AccountDescription> answer) {
      if (isSilent) {
        return; // billing is there and does not answer
      }
      answer.onNext(descriptions.getOrDefault(request.getAccount(), UNKNOWN));
      answer.onCompleted();
    }

    @Override
    public void bindDevice(BindDeviceRequest request, StreamObserver<BindDeviceResponse> answer) {
      synchronized (ProvisioningStub.this) {
        asked++;
        Subscriber user = users.get(request.getAccount());
        BindDeviceVerdict verdict =
            user == null
                ? BindDeviceVerdict.ACCOUNT_UNKNOWN
                : user.getDeviceKeysCount() >= DEVICES_MAX
                    ? BindDeviceVerdict.TOO_MANY_DEVICES
                    : BindDeviceVerdict.BOUND;
        if (user != null && verdict == BindDeviceVerdict.BOUND) {
          put(user.toBuilder().addDeviceKeys(request.getDeviceKey()).build());
        }
        answer.onNext(
            BindDeviceResponse.newBuilder().setVerdict(verdict).setDevicesMax(DEVICES_MAX).build());
        answer.onCompleted();
      }
    }
  }

  @Override
  public void close() throws Exception {
    server.shutdownNow().awaitTermination();
  }
}

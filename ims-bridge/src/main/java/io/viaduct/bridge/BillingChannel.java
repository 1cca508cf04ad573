package io.viaduct.bridge;

import io.grpc.ManagedChannel;
import io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.NettyChannelBuilder;
import io.netty.handler.ssl.SslProvider;
import io.viaduct.service.tls.TlsMaterial;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLException;

/// The connection to billing: mutual TLS 1.3, made again by gRPC when it breaks.
final class BillingChannel {
  private BillingChannel() {}

  static ManagedChannel open(BridgeConfiguration.Billing billing, TlsMaterial tls)
      throws SSLException {
    return NettyChannelBuilder.forAddress(billing.host(), billing.port())
        .sslContext(GrpcSslContexts.configure(tls.clientBuilder(), SslProvider.JDK).build())
        .keepAliveTime(20, TimeUnit.SECONDS)
        .keepAliveTimeout(10, TimeUnit.SECONDS)
        .build();
  }
}

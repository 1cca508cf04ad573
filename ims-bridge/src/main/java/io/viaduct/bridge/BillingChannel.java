package io.viaduct.bridge;

import io.grpc.ManagedChannel;
import io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.NettyChannelBuilder;
import io.netty.handler.ssl.SslProvider;
import io.viaduct.service.tls.ExchangeableTls;
import java.util.concurrent.TimeUnit;

/// Opens the gRPC channel to billing: mutual TLS 1.3; gRPC reconnects when the connection breaks.
final class BillingChannel {
  private BillingChannel() {}

  static ManagedChannel open(BridgeConfiguration.Billing billing, ExchangeableTls tls) {
    return NettyChannelBuilder.forAddress(billing.host(), billing.port())
        .sslContext(
            tls.context(
                files -> GrpcSslContexts.configure(files.clientBuilder(), SslProvider.JDK).build()))
        .keepAliveTime(20, TimeUnit.SECONDS)
        .keepAliveTimeout(10, TimeUnit.SECONDS)
        .build();
  }
}

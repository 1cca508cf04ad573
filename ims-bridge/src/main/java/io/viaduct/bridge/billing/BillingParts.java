package io.viaduct.bridge.billing;

import io.grpc.ManagedChannel;
import io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.NettyChannelBuilder;
import io.netty.handler.ssl.SslProvider;
import io.viaduct.bridge.configuration.BridgeConfiguration;
import io.viaduct.service.tls.ExchangeableTls;
import java.util.concurrent.TimeUnit;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;

/// Opens the gRPC channel to billing: mutual TLS 1.3; gRPC reconnects when the connection breaks.
@Configuration(proxyBeanMethods = false)
@Lazy(false)
class BillingParts {
  @Bean(destroyMethod = "shutdownNow")
  ManagedChannel billing(BridgeConfiguration configuration, ExchangeableTls tls) {
    return NettyChannelBuilder.forAddress(
            configuration.billing().host(), configuration.billing().port())
        .sslContext(
            tls.context(
                files -> GrpcSslContexts.configure(files.clientBuilder(), SslProvider.JDK).build()))
        .keepAliveTime(20, TimeUnit.SECONDS)
        .keepAliveTimeout(10, TimeUnit.SECONDS)
        .build();
  }
}

package io.viaduct.bridge.cluster;

import io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.NettyChannelBuilder;
import io.micrometer.core.instrument.MeterRegistry;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslProvider;
import io.viaduct.bridge.configuration.BridgeConfiguration;
import io.viaduct.bridge.directory.SnaptClaims;
import io.viaduct.bridge.replication.Replicas;
import io.viaduct.service.tls.CommonName;
import io.viaduct.service.tls.ExchangeableTls;
import io.viaduct.sip.digest.DigestServer;
import java.time.InstantSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;

/// Makes the parts that serve several bridges of one domain.
@Configuration(proxyBeanMethods = false)
@Lazy(false)
class ClusterParts {
  /// Contacts, two kinds of subscriptions, and calls, of each about `sip.bindings`; and as many
  /// that were removed.
  private static final int ENTRIES_PER_BINDING = 8;

  @Bean
  SharedKey sharedKey(BridgeConfiguration configuration) {
    return SharedKey.of(configuration.bridges());
  }

  @Bean
  Replicas replicas(BridgeConfiguration configuration, InstantSource clock) {
    return configuration.bridges().areSeveral()
        ? new Replicas(
            configuration.bridges().name(),
            (int)
                Math.min(
                    Integer.MAX_VALUE, (long) configuration.sip().bindings() * ENTRIES_PER_BINDING),
            clock)
        : Replicas.NONE;
  }

  @Bean
  ClusterMeters clusterMeters(Replicas replicas, MeterRegistry registry) {
    return new ClusterMeters(replicas, registry);
  }

  @Bean
  Cluster cluster(
      BridgeConfiguration configuration,
      Replicas replicas,
      ExchangeableTls tls,
      ClusterMeters meters,
      MeterRegistry registry) {
    SslContext context =
        tls.context(
            files -> GrpcSslContexts.configure(files.clientBuilder(), SslProvider.JDK).build());
    return new Cluster(
        configuration.bridges(),
        CommonName.of(tls.get().chain().getFirst()).orElse(""),
        replicas,
        peer ->
            NettyChannelBuilder.forAddress(peer.host(), peer.port()).sslContext(context).build(),
        meters,
        registry,
        System::nanoTime);
  }

  @Bean
  BridgesService bridgesService(
      Cluster cluster,
      Replicas replicas,
      DigestServer digest,
      SnaptClaims snapts,
      ClusterMeters meters) {
    return new BridgesService(cluster, replicas, digest, snapts, meters);
  }
}

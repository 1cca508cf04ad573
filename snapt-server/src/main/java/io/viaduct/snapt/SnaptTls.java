package io.viaduct.snapt;

import io.grpc.ManagedChannel;
import io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.NettyChannelBuilder;
import io.netty.channel.ChannelOption;
import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslProvider;
import io.viaduct.service.tls.ExchangeableTls;
import io.viaduct.tunnel.control.ControlFrame;
import java.util.concurrent.TimeUnit;

/// Makes the TLS of the SNAPT's connections: towards devices as a server, towards the bridge as a
/// client, towards members of its group as both. All follow the files of [ExchangeableTls].
record SnaptTls(ExchangeableTls files) {
  private static final int CONNECT_TIMEOUT_MS = 3_000;
  private static final int KEEP_ALIVE_SECONDS = 10; // the least that gRPC's clients take

  /// Longest time until sent bytes are acknowledged, by TCP too. Statuses are sent every few
  /// seconds, so a bridge whose machine has gone is left within about ten.
  private static final int SILENCE_SECONDS = 5;

  /// Returns the context of the control port. A device proves itself by its token and key, and not
  /// by a certificate.
  SslContext controlPort() {
    return files.context(current ->
        current
            .serverBuilder(ClientAuth.NONE)
            .applicationProtocolConfig(
                new ApplicationProtocolConfig(
                    ApplicationProtocolConfig.Protocol.ALPN,
                    ApplicationProtocolConfig.SelectorFailureBehavior.FATAL_ALERT,
                    ApplicationProtocolConfig.SelectedListenerFailureBehavior.FATAL_ALERT,
                    ControlFrame.ALPN))
            .build());
  }

  /// Returns the context of the group's port. A caller without a certificate gets a reason instead
  /// of a failed handshake.
  SslContext groupPort() {
    return files.context(current ->
        GrpcSslContexts.configure(current.serverBuilder(ClientAuth.OPTIONAL), SslProvider.JDK)
            .build());
  }

  /// Returns the context of connections to other members of the group.
  SslContext toMembers() {
    return files.context(
        current -> GrpcSslContexts.configure(current.clientBuilder(), SslProvider.JDK).build());
  }

  /// Returns the context of the connection that carries reports by SIP.
  SslContext sip() {
    return files.context(current -> current.clientBuilder().build());
  }

  /// Opens the channel to the bridge; gRPC connects at the first call. If the name has the
  /// addresses of several bridges, gRPC takes the first one that it can connect to.
  ManagedChannel bridge(SnaptConfiguration.Reporting reports) {
    return NettyChannelBuilder.forAddress(reports.bridgeHost(), reports.bridgePort())
        .sslContext(
            files.context(current ->
                GrpcSslContexts.configure(current.clientBuilder(), SslProvider.JDK).build()))
        .withOption(ChannelOption.CONNECT_TIMEOUT_MILLIS, CONNECT_TIMEOUT_MS)
        .keepAliveTime(KEEP_ALIVE_SECONDS, TimeUnit.SECONDS)
        .keepAliveTimeout(SILENCE_SECONDS, TimeUnit.SECONDS)
        .build();
  }
}

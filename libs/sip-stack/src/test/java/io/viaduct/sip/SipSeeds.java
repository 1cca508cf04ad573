package io.viaduct.sip;

import java.nio.charset.StandardCharsets;
import java.util.List;

/// Valid messages for the fuzz targets.
public final class SipSeeds {
  public static final byte[] REGISTER =
      """
      REGISTER sip:ims.test SIP/2.0
      Via: SIP/2.0/UDP [2001:db8::1]:5060;branch=z9hG4bKx;rport, SIP/2.0/TCP b
      From: "Al \\" ice" <sip:alice@ims.test>;tag=1
      t: <sip:alice@ims.test>
      i: a@b
      CSeq: 7 REGISTER
      Max-Forwards: 70
      Contact: <sip:alice@10.0.0.1:5060;transport=udp>;expires=60
      Authorization: Digest username="alice", realm="ims.test", nonce="n", uri="sip:ims.test",
       response="00", algorithm=SHA-256, qop=auth, nc=00000001, cnonce="c"
      l: 4

      body\
      """
          .replace("\n", "\r\n")
          .getBytes(StandardCharsets.UTF_8);

  /// A sender behind a NAT that claims another address.
  private static final byte[] OPTIONS =
      """
      OPTIONS sip:ims.test SIP/2.0
      v: SIP / 2.0 / UDP  h.test : 5070 ; received=192.0.2.1 ;x="a;rport,b";branch=z9hG4bKy
      v: SIP/2.0/TCP [2001:db8::1]
      f: <sip:bob@ims.test>;tag=1
      t: sip:ims.test
      i: o
      CSeq: 1 OPTIONS
      Max-Forwards: 0
      l: 0

      """
          .replace("\n", "\r\n")
          .getBytes(StandardCharsets.UTF_8);

  public static final byte[] ANSWER =
      """
      SIP/2.0 401 Unauthorized
      Via: SIP/2.0/UDP 10.0.0.1;branch=z9hG4bKx;received=10.0.0.1
      From: <sip:alice@ims.test>;tag=1
      To: sip:alice@ims.test;tag=2
      Call-ID: a
      CSeq: 7 REGISTER
      WWW-Authenticate: Digest realm="ims.test", nonce="n", algorithm=MD5, qop="auth,auth-int"
      Content-Length: 0

      """
          .replace("\n", "\r\n")
          .getBytes(StandardCharsets.UTF_8);

  public static final byte[] KEEP_ALIVE = "\r\n\r\n".getBytes(StandardCharsets.US_ASCII);

  private SipSeeds() {}

  public static List<byte[]> all() {
    return List.of(REGISTER, OPTIONS, ANSWER, KEEP_ALIVE);
  }
}

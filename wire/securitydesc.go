package wire

// SecurityDesc is DPSECURITYDESC (2.2.4): the security of a session. All zero, its size included, where the
// session is not secure.
type SecurityDesc struct {
	Size         uint32 // Windows sends 0
	Flags        uint32 // not used
	SSPIProvider uint32 // ignored on receipt
	CAPIProvider uint32 // ignored on receipt
	ProviderType uint32 // CAPIProviderType
	Algorithm    uint32 // EncryptionAlgorithm
}

func (c *codec) securityDesc(d *SecurityDesc) {
	c.Open("SecDesc")
	c.U32("Size", &d.Size)
	c.Hex32("Flags", &d.Flags)
	c.Hex32("SSPIProvider", &d.SSPIProvider)
	c.Hex32("CAPIProvider", &d.CAPIProvider)
	c.Word("CAPIProviderType", &d.ProviderType, KindNamed, providerTypeName)
	c.Word("EncryptionAlgorithm", &d.Algorithm, KindNamed, algorithmName)
	c.Close()
}

// providerTypeName names the provider types of footnote 13.
func providerTypeName(v uint32) string {
	switch v {
	case 1:
		return "PROV_RSA_FULL"
	case 2:
		return "PROV_RSA_SIG"
	case 3:
		return "PROV_DSS"
	case 4:
		return "PROV_FORTEZZA"
	case 5:
		return "PROV_MS_EXCHANGE"
	}
	return ""
}

// algorithmName names the algorithms of footnote 5.
func algorithmName(v uint32) string {
	switch v {
	case 0x6601:
		return "CALG_DES"
	case 0x6602:
		return "CALG_RC2"
	case 0x6603:
		return "CALG_3DES"
	case 0x6611:
		return "CALG_AES"
	case 0x6801:
		return "CALG_RC4"
	}
	return ""
}

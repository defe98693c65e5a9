-- The crawl that is not deleted. ARGV[1] Ei to look for an id, En for a name, [2] which. Answers the entry or false.
return { catalog.read(call('HGET', P .. ARGV[1], ARGV[2])) }
